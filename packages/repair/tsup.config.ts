import { library } from '../../tsup.base';

export default library({ entry: ['src/index.ts', 'src/model.ts', 'src/syntax.ts'] });
