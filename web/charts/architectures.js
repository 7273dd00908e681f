/* What people call an architecture: "Hopper, H200" of sm_90. ARCHITECTURES are those that the model knows. */
const MODELLED = {
  sm_10: "Tesla, G80",
  sm_11: "Tesla, G92",
  sm_12: "Tesla, GT216",
  sm_13: "Tesla, GTX 280",
  sm_20: "Fermi, 2010",
  sm_21: "Fermi, GF104",
  sm_30: "Kepler, K10",
  sm_35: "Kepler, K20",
  sm_37: "Kepler, K80",
  sm_50: "Maxwell, GM107",
  sm_52: "Maxwell, M40",
  sm_60: "Pascal, P100",
  sm_61: "Pascal, P40",
  sm_70: "Volta, V100",
  sm_72: "Volta, Xavier",
  sm_75: "Turing, T4",
  sm_80: "Ampere, A100",
  sm_86: "Ampere, A40",
  sm_87: "Ampere, Orin",
  sm_89: "Ada, L40",
  sm_90: "Hopper, H200",
  sm_100: "Blackwell, B200",
  sm_103: "Blackwell, B300",
  sm_120: "Blackwell, RTX",
  sm_121: "Blackwell, GB10"
};
/* Of devices that there are, which the model does not know. */
const OTHERS = {
  sm_32: "Kepler, K1",
  sm_53: "Maxwell, X1",
  sm_62: "Pascal, X2",
  sm_101: "Blackwell, Thor",
  sm_110: "Blackwell, Thor"
};

export const ARCHITECTURES = Object.keys(MODELLED);
export const architectureName = arch => MODELLED[arch] ?? OTHERS[arch] ?? arch;
