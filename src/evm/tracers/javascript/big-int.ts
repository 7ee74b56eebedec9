/** The global `bigInt` of tracer scripts: big integers with the methods that scripts for geth call. Runs in the sandbox. */
export const BIG_INT = String.raw`
var bigInt = (function () {
  'use strict'
  function Integer(value) { this.value = value }
  function parse(text, base) {
    text = text.trim().toLowerCase()
    var negative = text[0] === '-'
    if (negative || text[0] === '+') text = text.slice(1)
    if (base === 10) {
      var exponent = /^(\d+)(?:\.(\d+))?e\+?(\d+)$/.exec(text)
      if (exponent) {
        var digits = exponent[1] + (exponent[2] || '')
        var zeros = Number(exponent[3]) - (exponent[2] || '').length
        if (zeros < 0) throw new Error('Invalid integer: ' + text)
        text = digits + '0'.repeat(zeros)
      }
      if (!/^\d+$/.test(text)) throw new Error('Invalid integer: ' + text)
      return negative ? -BigInt(text) : BigInt(text)
    }
    var value = 0n
    if (base === 16 && /^[0-9a-f]+$/.test(text)) value = BigInt('0x' + text)
    else {
      for (var i = 0; i < text.length; i++) {
        var digit = parseInt(text[i], 36)
        if (!(digit < base)) throw new Error(text[i] + ' is not a valid digit in base ' + base + '.')
        value = value * BigInt(base) + BigInt(digit)
      }
    }
    return negative ? -value : value
  }
  function value(x, base) {
    if (x instanceof Integer) return x.value
    switch (typeof x) {
      case 'bigint': return x
      case 'undefined': return 0n
      case 'number':
        if (x % 1 !== 0) throw new Error(x + ' is not an integer.')
        return BigInt(x)
      case 'string': return parse(x, base === undefined ? 10 : Number(base))
      default:
        if (x !== null && typeof x === 'object') return parse(String(x), 10)
        throw new Error('Invalid integer: ' + x)
    }
  }
  function make(x, base) { return x instanceof Integer && base === undefined ? x : new Integer(value(x, base)) }
  function abs(x) { return x < 0n ? -x : x }
  function nonzero(x) {
    if (x === 0n) throw new Error('Cannot divide by zero')
    return x
  }
  function gcd(a, b) {
    a = abs(a); b = abs(b)
    while (b !== 0n) { var rest = a % b; a = b; b = rest }
    return a
  }
  function power(base, exponent) {
    if (exponent < 0n) return base === 1n ? 1n : base === -1n ? (exponent % 2n === 0n ? 1n : -1n) : 0n
    return base ** exponent
  }
  function modulo(a, m) {
    var rest = a % nonzero(m)
    return rest < 0n ? rest + abs(m) : rest
  }
  function modPow(base, exponent, m) {
    var result = 1n
    base = base % nonzero(m)
    if (exponent < 0n) { exponent = -exponent; base = modInv(base, m) }
    for (; exponent > 0n; exponent >>= 1n) {
      if (exponent & 1n) result = (result * base) % m
      base = (base * base) % m
    }
    return result
  }
  function modInv(a, n) {
    var t = 0n, next = 1n, r = n, rest = abs(a)
    while (rest !== 0n) {
      var q = r / rest, swap = t
      t = next; next = swap - q * next
      swap = r; r = rest; rest = swap - q * rest
    }
    if (r !== 1n) throw new Error(a + ' and ' + n + ' are not co-prime')
    if (t < 0n) t += n
    return a < 0n ? -t : t
  }
  function bits(x) {
    if (x === 0n) return 0n
    return BigInt((x < 0n ? -x - 1n : x).toString(2).length)
  }
  var two = {
    add: function (a, b) { return a + b },
    subtract: function (a, b) { return a - b },
    multiply: function (a, b) { return a * b },
    divide: function (a, b) { return a / nonzero(b) },
    mod: function (a, b) { return a % nonzero(b) },
    pow: power,
    and: function (a, b) { return a & b },
    or: function (a, b) { return a | b },
    xor: function (a, b) { return a ^ b },
    shiftLeft: function (a, b) { return b < 0n ? a >> -b : a << b },
    shiftRight: function (a, b) { return b < 0n ? a << -b : a >> b },
    modInv: modInv,
  }
  two.plus = two.add
  two.minus = two.subtract
  two.times = two.multiply
  two.over = two.divide
  two.remainder = two.mod
  var prototype = Integer.prototype
  Object.keys(two).forEach(function (name) {
    var run = two[name]
    prototype[name] = function (other) { return new Integer(run(this.value, value(other))) }
  })
  var one = {
    negate: function (a) { return -a },
    abs: abs,
    next: function (a) { return a + 1n },
    prev: function (a) { return a - 1n },
    square: function (a) { return a * a },
    not: function (a) { return ~a },
    bitLength: bits,
  }
  Object.keys(one).forEach(function (name) {
    var run = one[name]
    prototype[name] = function () { return new Integer(run(this.value)) }
  })
  var relations = {
    equals: function (a, b) { return a === b },
    notEquals: function (a, b) { return a !== b },
    greater: function (a, b) { return a > b },
    greaterOrEquals: function (a, b) { return a >= b },
    lesser: function (a, b) { return a < b },
    lesserOrEquals: function (a, b) { return a <= b },
    isDivisibleBy: function (a, b) { return b !== 0n && a % b === 0n },
  }
  relations.eq = relations.equals
  relations.neq = relations.notEquals
  relations.gt = relations.greater
  relations.geq = relations.greaterOrEquals
  relations.lt = relations.lesser
  relations.leq = relations.lesserOrEquals
  Object.keys(relations).forEach(function (name) {
    var run = relations[name]
    prototype[name] = function (other) { return run(this.value, value(other)) }
  })
  prototype.compare = prototype.compareTo = function (other) {
    if (other === Infinity) return -1
    if (other === -Infinity) return 1
    var b = value(other)
    return this.value === b ? 0 : this.value > b ? 1 : -1
  }
  prototype.compareAbs = function (other) {
    var a = abs(this.value), b = abs(value(other))
    return a === b ? 0 : a > b ? 1 : -1
  }
  prototype.divmod = function (other) { return { quotient: this.divide(other), remainder: this.mod(other) } }
  prototype.modPow = function (exponent, m) { return new Integer(modPow(this.value, value(exponent), value(m))) }
  prototype.isZero = function () { return this.value === 0n }
  prototype.isUnit = function () { return abs(this.value) === 1n }
  prototype.isPositive = function () { return this.value > 0n }
  prototype.isNegative = function () { return this.value < 0n }
  prototype.isEven = function () { return (this.value & 1n) === 0n }
  prototype.isOdd = function () { return (this.value & 1n) === 1n }
  prototype.isPrime = function () {
    var n = abs(this.value)
    if (n < 4n) return n > 1n
    for (var d = 2n; d * d <= n; d++) if (n % d === 0n) return false
    return true
  }
  prototype.toJSNumber = prototype.valueOf = function () { return Number(this.value) }
  prototype.toString = function (radix) { return this.value.toString(radix === undefined ? 10 : radix) }
  prototype.toJSON = function () { return this.value.toString() }
  prototype.toArray = function (radix) {
    var base = BigInt(radix), rest = abs(this.value), digits = []
    do { digits.unshift(Number(rest % base)); rest /= base } while (rest > 0n)
    return { value: digits, isNegative: this.value < 0n }
  }
  function bigInt(x, base) { return make(x, base) }
  bigInt.zero = new Integer(0n)
  bigInt.one = new Integer(1n)
  bigInt.minusOne = new Integer(-1n)
  bigInt.max = function (a, b) { a = make(a); b = make(b); return a.greater(b) ? a : b }
  bigInt.min = function (a, b) { a = make(a); b = make(b); return a.lesser(b) ? a : b }
  bigInt.gcd = function (a, b) { return new Integer(gcd(value(a), value(b))) }
  bigInt.lcm = function (a, b) {
    a = value(a); b = value(b)
    return new Integer(a === 0n || b === 0n ? 0n : (abs(a) / gcd(a, b)) * abs(b))
  }
  bigInt.isInstance = function (x) { return x instanceof Integer }
  bigInt.fromArray = function (digits, base, isNegative) {
    var radix = value(base === undefined ? 10 : base), result = 0n
    digits.forEach(function (digit) { result = result * radix + value(digit) })
    return new Integer(isNegative ? -result : result)
  }
  bigInt.randBetween = function () { throw new Error('tracers have no randomness') }
  bigInt.of = function (native) { return new Integer(native) }
  return bigInt
})()
`
