declare module 'jstat' {
  interface Distribution1 {
    inv(p: number, df: number): number;
    pdf(x: number, df: number): number;
  }
  interface Distribution2 {
    inv(p: number, a: number, b: number): number;
    pdf(x: number, a: number, b: number): number;
  }
  const module: {
    jStat: { normal: Distribution2; studentt: Distribution1; beta: Distribution2 };
  };
  export default module;
}
