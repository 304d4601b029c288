// The normal distribution's quantiles.

const CENTRAL = {
  numerator: [
    2.509080928730122e3, 3.343057558358813e4, 67265.77092700086, 4.592195393154987e4,
    1.373169376550946e4, 1.9715909503065513e3, 1.3314166789178438e2, 3.3871328727963665,
  ],
  denominator: [
    5226.495278852854, 2.872908573572194e4, 3.930789580009271e4, 2.1213794301586597e4,
    5.394196021424751e3, 6.871870074920579e2, 4.2313330701600911e1, 1,
  ],
};
const MIDDLE = {
  numerator: [
    7.745450142783414e-4, 2.2723844989269184e-2, 2.417807251774506e-1, 1.2704582524523684,
    3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  denominator: [
    1.0507500716444169e-9, 5.475938084995345e-4, 1.5198666563616457e-2, 1.4810397642748008e-1,
    6.897673349851e-1, 1.6763848301838038, 2.053191626637759, 1,
  ],
};
const FAR = {
  numerator: [
    2.0103343992922881e-7, 2.7115555687434876e-5, 1.2426609473880784e-3, 2.6532189526576124e-2,
    2.9656057182850487e-1, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  denominator: [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 7.868691311456133e-4,
    1.4875361290850615e-2, 1.3692988092273581e-1, 5.9983220655588798e-1, 1,
  ],
};

interface Rational {
  numerator: readonly number[];
  denominator: readonly number[];
}

function ratioAt(r: number, { numerator, denominator }: Rational): number {
  const horner = (coefficients: readonly number[]) =>
    coefficients.reduce((sum, coefficient) => sum * r + coefficient, 0);
  return horner(numerator) / horner(denominator);
}

/**
 * The value that a standard normal exceeds with chance q: Φ⁻¹(1 − q), by Wichura's AS 241 (PPND16,
 * Applied Statistics 37, 1988), relative error about 1e-15. Taking the upper tail keeps the digits
 * of a small q. q in [0, 1]; 0 gives Infinity, 1 -Infinity; NaN outside.
 */
export function normalUpperQuantile(q: number): number {
  if (!(q >= 0 && q <= 1)) return Number.NaN;
  if (q === 0) return Number.POSITIVE_INFINITY;
  if (q === 1) return Number.NEGATIVE_INFINITY;
  const y = 0.5 - q;
  if (Math.abs(y) <= 0.425) return y * ratioAt(0.180625 - y * y, CENTRAL);
  const r = Math.sqrt(-Math.log(Math.min(q, 1 - q)));
  const z = r <= 5 ? ratioAt(r - 1.6, MIDDLE) : ratioAt(r - 5, FAR);
  return y < 0 ? -z : z;
}
