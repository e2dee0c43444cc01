import { RedefError } from '../errors.js';

/** A file system failure as a `RedefError` that names the path and what to do; other errors come back unchanged. */
export function fileError(error: unknown, path: string): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const known = typeof code === 'string' ? failures[code] : undefined;
  if (!known || RedefError.isInstance(error)) return error;
  return new RedefError(`${path}: ${known.message}`, { code: known.code, remedy: known.remedy, cause: error });
}

const unwritable = {
  code: 'file-permission',
  message: 'no permission',
  remedy: 'Choose a folder you may write to, or change its permissions.',
};
const full = {
  code: 'disk-full',
  message: 'no space left',
  remedy: 'Free some space and run the same command again: finished stages are kept.',
};
const failures: Record<string, { code: string; message: string; remedy: string }> = {
  ENOENT: { code: 'file-missing', message: 'no such file or folder', remedy: 'Check the path.' },
  ENOTDIR: {
    code: 'not-a-folder',
    message: 'a part of the path is a file, not a folder',
    remedy: 'Choose another path.',
  },
  EISDIR: { code: 'not-a-file', message: 'a folder where a file was expected', remedy: 'Name a file inside it.' },
  EEXIST: { code: 'file-exists', message: 'exists already and is not a folder', remedy: 'Choose another path.' },
  ENAMETOOLONG: { code: 'invalid-path', message: 'the name is too long', remedy: 'Choose a shorter path.' },
  ELOOP: { code: 'invalid-path', message: 'a link that leads back to itself', remedy: 'Remove the link.' },
  EIO: {
    code: 'disk-failed',
    message: 'the disk or network drive reported a fault',
    remedy: 'Check the drive, then run the same command again.',
  },
  EMFILE: {
    code: 'too-many-files',
    message: 'too many files are open',
    remedy: 'Raise the limit (`ulimit -n`) or lower the number of workers.',
  },
  EACCES: unwritable,
  EPERM: unwritable,
  EROFS: unwritable,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
};
