export { createNativeDriver, type NativeOptions } from './native/driver.js';
