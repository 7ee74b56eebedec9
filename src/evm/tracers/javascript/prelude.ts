/**
 * The environment of a tracer script, with the objects and functions that geth provides: `log`, `db`, `frame`, and helpers. It runs in
 * QuickJS before the script. Steps arrive as the records of the traced interpreter (`src/evm/trace.ts`) in one shared buffer, and a loop
 * here calls the script's `step` for each, so that no step costs a call between host and sandbox.
 *
 * The expression is a function of the host's functions; it returns the functions that the host calls. Positions `p` count u32 cells.
 */
export const PRELUDE = `
(function (host, names, precompiles, buffer, listAt, recorded) {
  'use strict'
  var u8 = new Uint8Array(buffer), u32 = new Uint32Array(buffer), list = new Int32Array(buffer, listAt)
  var p = 0, op = 0, failure
  var contract = { address: undefined, caller: undefined, value: undefined, input: undefined }
  var memories = [], memory = new Uint8Array(0)
  var big = bigInt, fromNative = bigInt.of
  /** The original function, kept because a script can replace the global one. */
  var toJson = JSON.stringify
  var DIGITS = []
  for (var d = 0; d < 256; d++) DIGITS[d] = (d < 16 ? '0' : '') + d.toString(16)

  function hexOf(bytes) {
    var text = ''
    for (var i = 0; i < bytes.length; i++) text += DIGITS[bytes[i]]
    return text
  }
  /** Decodes hex like geth's FromHex: 0x is optional, an odd number of digits is padded with a leading zero, invalid text is empty. */
  function bytesOfHex(text) {
    if (text[0] === '0' && (text[1] === 'x' || text[1] === 'X')) text = text.slice(2)
    if (text.length % 2 === 1) text = '0' + text
    var bytes = new Uint8Array(text.length / 2)
    for (var i = 0; i < bytes.length; i++) {
      var pair = text.slice(2 * i, 2 * i + 2)
      if (!/^[0-9a-fA-F]{2}$/.test(pair)) return bytes.slice(0, i)
      bytes[i] = parseInt(pair, 16)
    }
    return bytes
  }
  function bytesOf(value, takesText) {
    if (typeof value === 'string' || value instanceof String) {
      if (takesText) return bytesOfHex(String(value))
    } else if (value instanceof Uint8Array) return value
    else if (Array.isArray(value)) {
      for (var i = 0; i < value.length; i++) {
        if (typeof value[i] !== 'number') throw new TypeError('invalid buffer type')
      }
      return Uint8Array.from(value)
    } else if (value instanceof ArrayBuffer) return new Uint8Array(value)
    throw new TypeError('invalid buffer type')
  }
  /** Returns the last n bytes, padded with leading zeros. */
  function fit(bytes, n) {
    var result = new Uint8Array(n)
    if (bytes.length > n) result.set(bytes.subarray(bytes.length - n))
    else result.set(bytes, n - bytes.length)
    return result
  }
  var addressHex = function (value) { return hexOf(fit(bytesOf(value, true), 20)) }
  function define(name, value) {
    Object.defineProperty(globalThis, name, { value: value, writable: true, configurable: true })
  }
  define('toHex', function (value) { return '0x' + hexOf(bytesOf(value, false)) })
  define('toWord', function (value) { return fit(bytesOf(value, true), 32) })
  define('toAddress', function (value) { return fit(bytesOf(value, true), 20) })
  define('toContract', function (from, nonce) { return bytesOfHex(host.contract(addressHex(from), String(Math.trunc(Number(nonce))))) })
  define('toContract2', function (from, salt, code) {
    return bytesOfHex(host.contract2(addressHex(from), hexOf(fit(bytesOfHex(String(salt)), 32)), hexOf(bytesOf(code, true))))
  })
  var isPrecompile = new Set(precompiles)
  define('isPrecompiled', function (value) { return isPrecompile.has(addressHex(value)) })
  define('slice', function (value, start, end) {
    var bytes = bytesOf(value, false)
    start = Math.trunc(start); end = Math.trunc(end)
    if (!(start >= 0 && start <= end && end <= bytes.length)) {
      throw new RangeError('Tracer accessed out of bound memory: available ' + bytes.length + ', offset ' + start + ', size ' + (end - start))
    }
    return bytes.slice(start, end)
  })

  /** Returns the stack word whose eight cells begin at q, lowest first. */
  function word(q) {
    var cells = 8
    while (cells > 1 && u32[q + cells - 1] === 0) cells--
    if (cells === 1) return fromNative(BigInt(u32[q]))
    var text = '0x' + u32[q + cells - 1].toString(16)
    for (var i = cells - 2; i >= 0; i--) text += u32[q + i].toString(16).padStart(8, '0')
    return fromNative(BigInt(text))
  }
  function unrecorded(name) {
    return function () { throw new Error('log.' + name + " is recorded for scripts that contain the word '" + name + "'") }
  }
  var stack = recorded.stack ? {
    length: function () { return u32[p + 12] },
    peek: function (index) {
      index = Math.trunc(Number(index))
      var size = u32[p + 12]
      if (!(index >= 0 && index < size)) {
        throw new RangeError('tracer accessed out of bound stack: size ' + size + ', index ' + index)
      }
      return word(p + 14 + 8 * (size - 1 - index))
    },
  } : { length: function () { return u32[p + 12] }, peek: unrecorded('stack') }
  var MAX_PADDING = 1024 * 1024
  var mem = recorded.memory ? {
    length: function () { return u32[p + 5] },
    slice: function (begin, end) {
      begin = Math.trunc(Number(begin)); end = Math.trunc(Number(end))
      if (begin === end) return new Uint8Array(0)
      if (!(begin >= 0 && begin < end)) {
        throw new RangeError('tracer accessed out of bound memory: offset ' + begin + ', end ' + end)
      }
      var size = u32[p + 5]
      if (end - size > MAX_PADDING) throw new RangeError('reached limit for padding memory slice: ' + (end - size))
      var bytes = new Uint8Array(end - begin)
      var last = Math.min(end, size, memory.length)
      if (begin < last) bytes.set(memory.subarray(begin, last))
      return bytes
    },
    getUint: function (offset) {
      offset = Math.trunc(Number(offset))
      var size = u32[p + 5]
      if (!(offset >= 0 && offset + 32 <= size)) {
        throw new RangeError('tracer accessed out of bound memory: available ' + size + ', offset ' + offset + ', size 32')
      }
      return fromNative(BigInt('0x' + hexOf(mem.slice(offset, offset + 32))))
    },
  } : { length: function () { return u32[p + 5] }, slice: unrecorded('memory'), getUint: unrecorded('memory') }

  var opcode = {
    toNumber: function () { return op },
    toString: function () { return names[op] },
    isPush: function () { return op >= 0x5f && op <= 0x7f },
  }
  var log = {
    op: opcode,
    stack: stack,
    memory: mem,
    contract: {
      getCaller: function () { return bytesOfHex(contract.caller) },
      getAddress: function () { return bytesOfHex(contract.address) },
      getValue: function () { return fromNative(BigInt(contract.value)) },
      getInput: function () { return new Uint8Array(host.input()) },
    },
    getPC: function () { return u32[p + 2] },
    getGas: function () { return u32[p + 6] + u32[p + 7] * 4294967296 },
    getCost: function () { return u32[p + 8] + u32[p + 9] * 4294967296 },
    getDepth: function () { return u32[p + 4] },
    getRefund: function () { return u32[p + 10] + (u32[p + 11] | 0) * 4294967296 },
    getError: function () { return failure },
  }
  var db = {
    getBalance: function (address) { return fromNative(BigInt(host.state('balance', addressHex(address), '', p))) },
    getNonce: function (address) { return Number(host.state('nonce', addressHex(address), '', p)) },
    getCode: function (address) { return bytesOfHex(host.state('code', addressHex(address), '', p)) },
    getState: function (address, slot) {
      return bytesOfHex(host.state('storage', addressHex(address), hexOf(fit(bytesOf(slot, true), 32)), p))
    },
    exists: function (address) { return host.state('exists', addressHex(address), '', p) === '1' },
  }
  var entered, left
  var frame = {
    getType: function () { return entered.type },
    getFrom: function () { return bytesOfHex(entered.from) },
    getTo: function () { return bytesOfHex(entered.to) },
    getInput: function () { return bytesOfHex(entered.input) },
    getGas: function () { return entered.gas },
    getValue: function () { return entered.value === undefined ? undefined : fromNative(BigInt(entered.value)) },
  }
  var frameResult = {
    getGasUsed: function () { return left.gasUsed },
    getOutput: function () { return bytesOfHex(left.output) },
    getError: function () { return left.error },
  }

  var tracer, step
  /** Returns the error of a function of the script, with geth's text. */
  function failed(error, name) {
    var text
    try { text = String(error) } catch (again) { text = 'unknown error' }
    if (error instanceof RangeError || error instanceof TypeError) {
      if (/^(RangeError: (tracer|Tracer|reached))|^TypeError: invalid buffer/.test(text)) text = text.slice(text.indexOf(':') + 2)
    }
    return text + "    in server-side tracer function '" + name + "'"
  }
  function ask(name, arguments_) {
    try {
      tracer[name].apply(tracer, arguments_)
    } catch (error) {
      return failed(error, name)
    }
  }
  function write() {
    var offset = u32[p + 2], length = u32[p + 3]
    if (memory.length < offset + length) {
      var grown = new Uint8Array(Math.max(2 * memory.length, offset + length, 1024))
      grown.set(memory)
      memory = grown
      memories[memories.depth] = memory
    }
    var from = 4 * p + 24
    memory.set(u8.subarray(from, from + length), offset)
  }
  return {
    /** Loads the script; returns an error if it is not a tracer. */
    load: function (script, config) {
      tracer = script
      if (tracer === null || (typeof tracer !== 'object' && typeof tracer !== 'function')) return 'trace object must expose a function result()'
      if (typeof tracer.result !== 'function') return 'trace object must expose a function result()'
      if (typeof tracer.fault !== 'function') return 'trace object must expose a function fault()'
      var enters = typeof tracer.enter === 'function'
      if (enters !== (typeof tracer.exit === 'function')) return 'trace object must expose either both or none of enter() and exit()'
      host.uses(typeof tracer.step === 'function', enters)
      if (typeof tracer.setup === 'function') return ask('setup', [config])
    },
    /** Sets the frame of the next steps. */
    contract: function (address, caller, value) {
      contract.address = address
      contract.caller = caller
      contract.value = value
    },
    /** Clears the memory of a frame that begins. */
    clear: function (depth) { memories[depth] = new Uint8Array(0) },
    /**
     * Processes the listed records in order. The list has a step as its position and opcode, any other record as the complement of its
     * position. error: the error of the last step, if it failed. Returns the script's error, if any.
     */
    run: function (depth, count, error) {
      memories.depth = depth
      memory = memories[depth] || new Uint8Array(0)
      var steps = typeof tracer.step === 'function'
      try {
        for (var i = 0; i < count; i++) {
          var entry = list[i]
          if (entry >= 0) {
            op = entry & 255
            p = entry >>> 8
            tracer.step(log, db)
            continue
          }
          p = ~entry
          if (u32[p + 1] === 1) { write(); continue }
          op = u32[p + 3]
          var how = u32[p + 13]
          failure = how === 1 ? error : undefined
          if (steps) tracer.step(log, db)
          failure = error
          if (how === 2) {
            var faulty = ask('fault', [log, db])
            if (faulty !== undefined) return faulty
          }
          failure = undefined
        }
      } catch (thrown) {
        return failed(thrown, 'step')
      }
    },
    enter: function (text) { entered = JSON.parse(text); return ask('enter', [frame]) },
    exit: function (text) { left = JSON.parse(text); return ask('exit', [frameResult]) },
    /** Returns the JSON of the result, or '!' and the error. */
    result: function (text) {
      p = -1
      var ctx = JSON.parse(text)
      var binary = ['from', 'to', 'input', 'output', 'coinbase', 'blockHash', 'txHash']
      for (var i = 0; i < binary.length; i++) if (binary[i] in ctx) ctx[binary[i]] = bytesOfHex(ctx[binary[i]])
      ctx.value = big(ctx.value)
      ctx.gasPrice = big(ctx.gasPrice)
      try {
        var encoded = toJson(tracer.result(ctx, db))
        return encoded === undefined ? 'null' : encoded
      } catch (error) {
        return '!' + failed(error, 'result')
      }
    },
  }
})
`
