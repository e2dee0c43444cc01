import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A Slurm cluster of one node: its own controller, node daemon, key and ports, all files in one folder. */
export interface SlurmNode {
  /** Environment in which Slurm's programmes talk to this cluster. */
  env: Record<string, string | undefined>;
  /** Ends a daemon with a signal and starts it again. */
  restart(daemon: 'slurmctld' | 'slurmd', signal: NodeJS.Signals): Promise<true>;
  stop(): Promise<void>;
}

const path = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/usr/local/sbin`;

/** Debian: `apt-get install slurmctld slurmd slurm-client munge`. */
export const slurmIsInstalled = (): boolean => areInstalled('slurmctld', 'slurmd', 'sbatch', 'munged');

/** Debian: `apt-get install slurmdbd mariadb-server-core`. */
export const accountsAreInstalled = (): boolean => areInstalled('slurmdbd', 'mariadbd');

function areInstalled(...programs: string[]): boolean {
  try {
    for (const program of programs) {
      execFileSync('/bin/sh', ['-c', `command -v ${program}`], { env: { PATH: path }, stdio: 'ignore' });
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * @param folder empty; its path short, for the sockets in it
 * @param accounts keeps what `sacct` tells, in a database of its own
 */
export async function startSlurmNode(
  folder: string,
  { cpus = 4, maxArraySize = 1001, accounts = false } = {},
): Promise<SlurmNode> {
  const at = (name: string): string => join(folder, name);
  const node = hostname().split('.')[0]!;
  const { username } = userInfo();
  const [controllerPort, nodePort, accountsPort, databasePort] = await freePorts(4);
  chmodSync(folder, 0o755); // munge wants to be reachable by all
  for (const name of ['state', 'spool', 'munge']) mkdirSync(at(name), { mode: 0o755 });
  writeFileSync(at('munge/key'), randomBytes(1024), { mode: 0o600 });
  writeFileSync(
    at('slurm.conf'),
    `
ClusterName=redef-test
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
SlurmUser=${username}
SlurmdUser=${username}
AuthType=auth/munge
AuthInfo=socket=${at('munge/socket')},cred_expire=6
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
SlurmctldLogFile=${at('slurmctld.log')}
SlurmdLogFile=${at('slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
${
  accounts
    ? `AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=${accountsPort}
AccountingStoragePass=${at('munge/socket')}`
    : 'AccountingStorageType=accounting_storage/none'
}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
MaxArraySize=${maxArraySize}
MinJobAge=2
KillWait=2
ReturnToService=2
# A node is asked for its jobs every seven of these: one lost with a killed slurmd is found in two minutes, not in half an hour.
SlurmdTimeout=15
PropagateResourceLimits=NONE
NodeName=${node} NodeAddr=127.0.0.1 CPUs=${cpus} State=UNKNOWN
PartitionName=all Nodes=${node} Default=YES MaxTime=INFINITE State=UP
`,
  );
  const env = { ...process.env, PATH: path, SLURM_CONF: at('slurm.conf') };
  const running = new Map<string, ChildProcess>();
  const start = (program: string, args: readonly string[]): void => {
    running.set(program, spawn(program, args, { env, stdio: 'ignore' }));
  };
  const daemons = {
    slurmctld: () => start('slurmctld', ['-D', '-f', at('slurm.conf')]),
    slurmd: () => start('slurmd', ['-D', '-f', at('slurm.conf'), '-N', node]),
  };
  const end = async (program: string, signal: NodeJS.Signals): Promise<void> => {
    const child = running.get(program);
    running.delete(program);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await Promise.race([exit, sleep(10_000).then(() => child.kill('SIGKILL'))]);
    await exit;
  };
  const stop = async (): Promise<void> => {
    try {
      execFileSync('scancel', ['--me'], { env, stdio: 'ignore', timeout: 10_000 });
      for (let i = 0; i < 50 && squeue() !== ''; i++) await sleep(100);
    } catch {} // the controller is away
    const programs = ['slurmd', 'slurmctld', 'slurmdbd', 'mariadbd', 'munged'];
    for (const program of programs) await end(program, 'SIGTERM');
  };
  const keepAccounts = async (): Promise<void> => {
    mkdirSync(at('database'));
    start('mariadbd', [
      '--no-defaults',
      '--skip-grant-tables',
      `--user=${username}`,
      `--datadir=${at('database')}`,
      `--socket=${at('database.socket')}`,
      '--bind-address=127.0.0.1',
      `--port=${databasePort}`,
    ]);
    writeFileSync(
      at('slurmdbd.conf'),
      `
AuthType=auth/munge
AuthInfo=socket=${at('munge/socket')}
DbdHost=localhost
DbdPort=${accountsPort}
SlurmUser=${username}
LogFile=${at('slurmdbd.log')}
PidFile=${at('slurmdbd.pid')}
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=${databasePort}
StorageUser=${username}
StorageLoc=accounts
`,
      { mode: 0o600 },
    );
    for (let i = 0; i < 100 && !existsSync(at('database.socket')); i++) await sleep(200);
    start('slurmdbd', ['-D']);
    for (let i = 0; i < 100 && !runs('sacctmgr', ['-i', 'add', 'cluster', 'redef-test']); i++) await sleep(200);
  };
  const runs = (program: string, args: readonly string[]): boolean => {
    try {
      execFileSync(program, args, { env, stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  const squeue = (): string => execFileSync('squeue', ['--noheader'], { env, encoding: 'utf8', stdio: 'pipe' });

  start('munged', [
    '--foreground',
    '--force',
    `--key-file=${at('munge/key')}`,
    `--socket=${at('munge/socket')}`,
    `--pid-file=${at('munge/pid')}`,
    `--log-file=${at('munge/log')}`,
    `--seed-file=${at('munge/seed')}`,
  ]);
  if (accounts) await keepAccounts();
  daemons.slurmctld();
  daemons.slurmd();
  const deadline = Date.now() + 30_000;
  while (!isIdle(env)) {
    if (Date.now() > deadline) {
      await stop();
      const logs = ['munge/log', 'slurmctld.log', 'slurmd.log'].map((name) => tail(at(name)));
      throw new Error(`the Slurm node did not come up\n${logs.join('\n')}`);
    }
    await sleep(200);
  }
  return {
    env,
    stop,
    restart: async (daemon, signal) => {
      await end(daemon, signal);
      daemons[daemon]();
      return true;
    },
  };
}

function isIdle(env: NodeJS.ProcessEnv): boolean {
  try {
    return /^idle/m.test(
      execFileSync('sinfo', ['--noheader', '--format=%T'], { env, encoding: 'utf8', stdio: 'pipe' }),
    );
  } catch {
    return false;
  }
}

function tail(file: string): string {
  try {
    return `${file}\n${readFileSync(file, 'utf8').slice(-2000)}`;
  } catch {
    return `${file}: missing`;
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  return Promise.all(
    servers.map(async (server) => {
      if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
      const address = server.address();
      await new Promise((resolve) => server.close(resolve));
      return typeof address === 'object' && address ? address.port : 0;
    }),
  );
}
