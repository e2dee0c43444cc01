export { cohenKappa, wilsonInterval } from './agreement.js';
