# 1 "coalesced math"
/* The second part of clang_device.cuh. Slow functions (exp, sin, pow ...) are computed here, and differ from CUDA's in the
   last digits. */

#define F_(type, f, t)                                                                                       \
    D_ type sqrt##f(type a) { return __nvvm_sqrt_rn_##t(a); }                                                \
    D_ type fma##f(type a, type b, type c) { return __builtin_fma##f(a, b, c); }                             \
    D_ type fabs##f(type a) { return __builtin_fabs##f(a); }                                                 \
    D_ type floor##f(type a) { return __builtin_floor##f(a); }                                               \
    D_ type ceil##f(type a) { return __builtin_ceil##f(a); }                                                 \
    D_ type trunc##f(type a) { return __builtin_trunc##f(a); }                                               \
    D_ type rint##f(type a) { return __builtin_rint##f(a); }                                                 \
    D_ type nearbyint##f(type a) { return __builtin_rint##f(a); }                                            \
    D_ type round##f(type a) { return trunc##f(a + __builtin_copysign##f(0.5, a)); }                         \
    D_ type copysign##f(type a, type b) { return __builtin_copysign##f(a, b); }                              \
    D_ type fmin##f(type a, type b) { return a != a ? b : b < a ? b : a; }                                   \
    D_ type fmax##f(type a, type b) { return a != a ? b : a < b ? b : a; }                                   \
    D_ type rsqrt##f(type a) { return 1 / sqrt##f(a); }                                                      \
    D_ type fmod##f(type a, type b) { return a - b * trunc##f(a / b); }                                      \
    D_ type hypot##f(type a, type b) { return sqrt##f(a * a + b * b); }
F_(double, , d)
F_(float, f, f)
D_ bool isnan(double a) { return a != a; }
D_ bool isinf(double a) { return fabs(a) > DBL_MAX; }
D_ bool isfinite(double a) { return fabs(a) <= DBL_MAX; }
D_ float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
D_ double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
D_ float __fdividef(float a, float b) { return a / b; }
D_ float __frcp_rn(float a) { return 1 / a; }
D_ float __fsqrt_rn(float a) { return sqrtf(a); }
D_ float __saturatef(float a) { return fminf(fmaxf(a, 0), 1); }

/* 2 to a whole power, -1000 to 1023. */
D_ double scale_(double a, int power)
{
    return a * __longlong_as_double((long long)(power / 2 + 1023) << 52) *
           __longlong_as_double((long long)(power - power / 2 + 1023) << 52);
}
D_ double exp(double a)
{
    a = fmin(fmax(a, -746), 710);
    double whole = rint(a * 1.4426950408889634), r = fma(whole, -0.69314718055994531, a);
    r = fma(whole, -2.3190468138462996e-17, r);
    double sum = 1;
    for (int i = 13; i > 0; i--)
        sum = fma(sum, r / i, 1);
    return scale_(sum, (int)whole);
}
D_ double log(double a)
{
    if (!(a > 0) || a > DBL_MAX)
        return a == 0 ? -__builtin_huge_val() : a > 0 ? a : __builtin_nan("");
    int power = 0;
    if (a < DBL_MIN) {
        a *= 18014398509481984.0;
        power = -54;
    }
    long long bits = __double_as_longlong(a);
    power += (int)(bits >> 52) - 1023;
    double m = __longlong_as_double((bits & 0xfffffffffffffll) | 0x3ff0000000000000ll);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        power++;
    }
    double t = (m - 1) / (m + 1), t2 = t * t, sum = 0;
    for (int i = 23; i > 0; i -= 2)
        sum = fma(sum, t2, 1.0 / i);
    return fma(power, 0.69314718055994531, 2 * t * sum);
}
/* Sine of a + quarter turns; accurate for arguments below about 10^6. */
D_ double turn_(double a, int quarters)
{
    double whole = rint(a * 0.63661977236758134), r = fma(whole, -1.5707963267948966, a);
    r = fma(whole, -6.123233995736766e-17, r);
    quarters += (int)(long long)whole;
    bool cosine = quarters & 1;
    double sum = 1, r2 = -r * r;
    for (int i = 9; i > 0; i--)
        sum = fma(sum, r2 / (cosine ? 2 * i * (2 * i - 1) : 2 * i * (2 * i + 1)), 1);
    sum = cosine ? sum : sum * r;
    return quarters & 2 ? -sum : sum;
}
D_ double sin(double a) { return turn_(a, 0); }
D_ double cos(double a) { return turn_(a, 1); }
D_ double tan(double a) { return sin(a) / cos(a); }
D_ double atan(double a)
{
    double b = fabs(a), r = b > 1 ? 1 / b : b, sum = 0;
    for (int i = 0; i < 2; i++) /* halves the angle */
        r = r / (1 + sqrt(1 + r * r));
    for (int i = 31; i > 0; i -= 2)
        sum = fma(sum, -r * r, 1.0 / i);
    sum *= 4 * r;
    return copysign(b > 1 ? M_PI / 2 - sum : sum, a);
}
D_ double atan2(double y, double x)
{
    if (x == 0)
        return y == 0 ? 0 : copysign(M_PI / 2, y);
    return atan(y / x) + (x < 0 ? copysign(M_PI, y) : 0);
}
D_ double asin(double a) { return atan2(a, sqrt((1 - a) * (1 + a))); }
D_ double acos(double a) { return atan2(sqrt((1 - a) * (1 + a)), a); }
D_ double sinh(double a) { return (exp(a) - exp(-a)) / 2; }
D_ double cosh(double a) { return (exp(a) + exp(-a)) / 2; }
D_ double tanh(double a) { return a > 20 ? 1 : a < -20 ? -1 : 1 - 2 / (exp(2 * a) + 1); }
D_ double exp2(double a) { return exp(a * 0.69314718055994531); }
D_ double expm1(double a) { return exp(a) - 1; }
D_ double log2(double a) { return log(a) * 1.4426950408889634; }
D_ double log10(double a) { return log(a) * 0.43429448190325183; }
D_ double log1p(double a) { return log(1 + a); }
D_ double cbrt(double a) { return a == 0 ? a : copysign(exp(log(fabs(a)) / 3), a); }
D_ double pow(double a, double b)
{
    if (b == 0 || a == 1)
        return 1;
    if (a < 0 && trunc(b) == b)
        return fmod(b, 2) != 0 ? -exp(b * log(-a)) : exp(b * log(-a));
    return a == 0 ? (b > 0 ? 0 : __builtin_huge_val()) : exp(b * log(a));
}
#define G_(name) D_ float name##f(float a) { return (float)name((double)a); }
G_(exp) G_(log) G_(sin) G_(cos) G_(tan) G_(atan) G_(asin) G_(acos) G_(sinh) G_(cosh) G_(tanh) G_(exp2) G_(expm1)
G_(log2) G_(log10) G_(log1p) G_(cbrt)
D_ float powf(float a, float b) { return (float)pow((double)a, (double)b); }
D_ float atan2f(float y, float x) { return (float)atan2((double)y, (double)x); }
D_ void sincosf(float a, float *sine, float *cosine) { *sine = sinf(a); *cosine = cosf(a); }
D_ void sincos(double a, double *sine, double *cosine) { *sine = sin(a); *cosine = cos(a); }

/* As C++ has them: one name for both types. */
#define O_(name) D_ float name(float a) { return name##f(a); }
O_(sqrt) O_(fabs) O_(floor) O_(ceil) O_(trunc) O_(rint) O_(round) O_(rsqrt) O_(exp) O_(log) O_(sin) O_(cos) O_(tan)
O_(atan) O_(asin) O_(acos) O_(tanh) O_(exp2) O_(log2) O_(log10) O_(cbrt)
D_ float abs(float a) { return fabsf(a); }
D_ double abs(double a) { return fabs(a); }
D_ float pow(float a, float b) { return powf(a, b); }
D_ float fma(float a, float b, float c) { return fmaf(a, b, c); }

/* The fast ones are single instructions. */
#define A_(name, instruction)                                                                                \
    D_ float name(float a)                                                                                   \
    {                                                                                                        \
        float result;                                                                                        \
        asm(instruction " %0, %1;" : "=f"(result) : "f"(a));                                                 \
        return result;                                                                                       \
    }
A_(__sinf, "sin.approx.f32")
A_(__cosf, "cos.approx.f32")
A_(exp2_, "ex2.approx.f32")
A_(__log2f, "lg2.approx.f32")
A_(__frsqrt_rn, "rsqrt.approx.f32")
D_ float __expf(float a) { return exp2_(a * 1.4426950408889634f); }
D_ float __logf(float a) { return __log2f(a) * 0.69314718055994531f; }
D_ float __powf(float a, float b) { return exp2_(b * __log2f(a)); }
D_ float __tanf(float a) { return __sinf(a) / __cosf(a); }
#undef D_
#undef R_
#undef V_
#undef B_
#undef S_
#undef X_
#undef XI_
#undef XB_
#undef C_
#undef F_
#undef G_
#undef O_
#undef A_
#pragma clang force_cuda_host_device begin
