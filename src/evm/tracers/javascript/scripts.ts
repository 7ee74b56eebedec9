/** Named JavaScript tracers: those of geth's set, written from their documented results. */

const COUNTS = 'fault: function () {}, result: function () { return this.counts }'
const COUNT = 'count: function (key) { this.counts[key] = (this.counts[key] || 0) + 1 }'

const UNIGRAM = `{
  counts: {}, ${COUNT},
  step: function (log) { this.count(log.op.toString()) },
  ${COUNTS}
}`

/** Counts pairs of opcodes at one depth. */
const BIGRAM = `{
  counts: {}, ${COUNT}, last: '', depth: 0,
  step: function (log) {
    var name = log.op.toString(), depth = log.getDepth()
    if (depth === this.depth) this.count(this.last + '-' + name)
    this.last = name
    this.depth = depth
  },
  ${COUNTS}
}`

/** Counts three successive opcodes at one depth; the first step of a depth is not counted. */
const TRIGRAM = `{
  counts: {}, ${COUNT}, last: ['', ''], depth: 0,
  step: function (log) {
    if (log.getDepth() !== this.depth) {
      this.last = ['', '']
      this.depth = log.getDepth()
      return
    }
    var name = log.op.toString()
    this.count(this.last[0] + '-' + this.last[1] + '-' + name)
    this.last = [this.last[1], name]
  },
  ${COUNTS}
}`

const OPCOUNT = `{
  count: 0,
  step: function () { this.count++ },
  fault: function () {},
  result: function () { return this.count }
}`

const NOOP = `{
  step: function () {},
  fault: function () {},
  result: function () { return {} }
}`

const FOUR_BYTE = `{
  ids: {},
  add: function (selector, size) {
    var key = toHex(selector) + '-' + size
    this.ids[key] = (this.ids[key] || 0) + 1
  },
  step: function (log) {
    var code = log.op.toNumber()
    var at = code === 0xf1 || code === 0xf2 ? 3 : code === 0xf4 || code === 0xfa ? 2 : 0
    if (at === 0 || isPrecompiled(toAddress(log.stack.peek(1).toString(16)))) return
    var size = log.stack.peek(at + 1).valueOf()
    if (size < 4) return
    var offset = log.stack.peek(at).valueOf()
    this.add(log.memory.slice(offset, offset + 4), size - 4)
  },
  fault: function () {},
  result: function (ctx) {
    if (ctx.input.length >= 4) this.add(slice(ctx.input, 0, 4), ctx.input.length - 4)
    return this.ids
  }
}`

const PRESTATE = `{
  accounts: null,
  account: function (address, db) {
    var name = toHex(address)
    if (this.accounts[name] === undefined) {
      this.accounts[name] = {
        balance: '0x' + db.getBalance(address).toString(16),
        nonce: db.getNonce(address),
        code: toHex(db.getCode(address)),
        storage: {}
      }
    }
    return this.accounts[name]
  },
  step: function (log, db) {
    var self = log.contract.getAddress()
    if (this.accounts === null) {
      this.accounts = {}
      this.account(self, db)
    }
    var word = function (i) { return log.stack.peek(i).toString(16) }
    switch (log.op.toString()) {
      case 'BALANCE': case 'EXTCODESIZE': case 'EXTCODECOPY': case 'EXTCODEHASH':
        this.account(toAddress(word(0)), db)
        break
      case 'CALL': case 'CALLCODE': case 'DELEGATECALL': case 'STATICCALL':
        this.account(toAddress(word(1)), db)
        break
      case 'CREATE':
        this.account(toContract(self, db.getNonce(self)), db)
        break
      case 'CREATE2':
        var from = log.stack.peek(1).valueOf(), size = log.stack.peek(2).valueOf()
        this.account(toContract2(self, word(3), log.memory.slice(from, from + size)), db)
        break
      case 'SLOAD': case 'SSTORE':
        var slot = toWord(word(0)), storage = this.account(self, db).storage
        if (storage[toHex(slot)] === undefined) storage[toHex(slot)] = toHex(db.getState(self, slot))
    }
  },
  fault: function () {},
  result: function (ctx, db) {
    if (this.accounts === null) this.accounts = {}
    var to = this.account(ctx.to, db), from = this.account(ctx.from, db)
    var hex = function (text) { return bigInt(text.slice(2), 16) }
    var fromBalance = hex(from.balance), toBalance = hex(to.balance)
    to.balance = '0x' + toBalance.subtract(ctx.value).toString(16)
    from.balance = '0x' + fromBalance.add(ctx.value).add(ctx.gasUsed * ctx.gasPrice).toString(16)
    from.nonce--
    if (ctx.type === 'CREATE') delete this.accounts[toHex(ctx.to)]
    return this.accounts
  }
}`

const CALL = `{
  open: [{}],
  entered: false,
  top: function () { return this.open[this.open.length - 1] },
  close: function (call) {
    var parent = this.top()
    if (parent.calls === undefined) parent.calls = []
    parent.calls.push(call)
  },
  quantity: function (number) { return '0x' + bigInt(number).toString(16) },
  step: function (log, db) {
    if (log.getError() !== undefined) return this.fault(log, db)
    var code = log.op.toNumber()
    var word = function (i) { return log.stack.peek(i) }
    var text = function (i) { return '0x' + word(i).toString(16) }
    if (code === 0xf0 || code === 0xf5) {
      var start = word(1).valueOf()
      this.open.push({
        type: log.op.toString(),
        from: toHex(log.contract.getAddress()),
        input: toHex(log.memory.slice(start, start + word(2).valueOf())),
        gasIn: log.getGas(), gasCost: log.getCost(),
        value: text(0)
      })
      this.entered = true
      return
    }
    if (code === 0xff) {
      this.close({
        type: log.op.toString(),
        from: toHex(log.contract.getAddress()),
        to: toHex(toAddress(word(0).toString(16))),
        input: '0x',
        gasIn: log.getGas(), gasCost: log.getCost(),
        value: '0x' + db.getBalance(log.contract.getAddress()).toString(16)
      })
      return
    }
    if (code === 0xf1 || code === 0xf2 || code === 0xf4 || code === 0xfa) {
      var to = toAddress(word(1).toString(16))
      if (isPrecompiled(to)) return
      var at = code === 0xf1 || code === 0xf2 ? 3 : 2
      var from = word(at).valueOf()
      var call = {
        type: log.op.toString(),
        from: toHex(log.contract.getAddress()),
        to: toHex(to),
        input: toHex(log.memory.slice(from, from + word(at + 1).valueOf())),
        gasIn: log.getGas(), gasCost: log.getCost(),
        outOff: word(at + 2).valueOf(), outLen: word(at + 3).valueOf()
      }
      if (at === 3) call.value = text(2)
      this.open.push(call)
      this.entered = true
      return
    }
    if (this.entered) {
      if (log.getDepth() >= this.open.length) this.top().gas = log.getGas()
      this.entered = false
    }
    if (code === 0xfd) {
      this.top().error = 'execution reverted'
      return
    }
    if (log.getDepth() === this.open.length - 1) this.leave(log, db)
  },
  leave: function (log, db) {
    var call = this.open.pop()
    var answer = log.stack.peek(0)
    if (call.type === 'CREATE' || call.type === 'CREATE2') {
      call.gasUsed = this.quantity(call.gasIn - call.gasCost - log.getGas())
      if (!answer.equals(0)) {
        var address = toAddress(answer.toString(16))
        call.to = toHex(address)
        call.output = toHex(db.getCode(address))
      } else if (call.error === undefined) call.error = 'internal failure'
    } else {
      if (call.gas !== undefined) call.gasUsed = this.quantity(call.gasIn - call.gasCost + call.gas - log.getGas())
      if (!answer.equals(0)) call.output = toHex(log.memory.slice(call.outOff, call.outOff + call.outLen))
      else if (call.error === undefined) call.error = 'internal failure'
    }
    if (call.gas !== undefined) call.gas = this.quantity(call.gas)
    this.close(call)
  },
  fault: function (log) {
    if (this.top().error !== undefined) return
    var call = this.open.pop()
    call.error = log.getError()
    if (call.gas !== undefined) {
      call.gas = this.quantity(call.gas)
      call.gasUsed = call.gas
    }
    if (this.open.length > 0) this.close(call)
    else this.open.push(call)
  },
  result: function (ctx) {
    var outermost = this.open[0]
    var error = outermost.error !== undefined ? outermost.error : ctx.error
    var output = toHex(ctx.output)
    if (error !== undefined && (error !== 'execution reverted' || output === '0x')) output = undefined
    return this.ordered({
      type: ctx.type, from: toHex(ctx.from), to: toHex(ctx.to),
      value: '0x' + ctx.value.toString(16),
      gas: this.quantity(ctx.gas), gasUsed: this.quantity(ctx.gasUsed),
      input: toHex(ctx.input), output: output, error: error, calls: outermost.calls
    })
  },
  ordered: function (call) {
    var shown = {}, self = this
    var names = ['type', 'from', 'to', 'value', 'gas', 'gasUsed', 'input', 'output', 'error', 'calls']
    names.forEach(function (name) { if (call[name] !== undefined) shown[name] = call[name] })
    if (shown.calls) shown.calls = shown.calls.map(function (inner) { return self.ordered(inner) })
    return shown
  }
}`

const EVMDIS = `{
  frames: [{ ops: [] }],
  /** The number of result words that each opcode leaves on the stack. */
  pushes: function (op) {
    if (op >= 0x80 && op <= 0x9f) return (op & 15) + 2
    var one = [0x20, 0x38, 0x3a, 0x3b, 0x51, 0x54, 0x58, 0x59, 0x5a, 0xf0, 0xf1, 0xf2]
    var ranges = [[0x01, 0x0b], [0x10, 0x1a], [0x30, 0x36], [0x40, 0x45], [0x60, 0x7f]]
    var within = ranges.some(function (range) { return op >= range[0] && op <= range[1] })
    return within || one.indexOf(op) >= 0 ? 1 : 0
  },
  step: function (log) {
    var frame = this.frames[this.frames.length - 1]
    var error = log.getError()
    if (error) {
      frame.error = error
      return
    }
    if (log.getDepth() !== this.frames.length) {
      this.frames = this.frames.slice(0, log.getDepth())
      return
    }
    var word = function (i) { return log.stack.peek(i) }
    var told = { op: log.op.toNumber(), depth: log.getDepth(), result: [] }
    if (frame.ops.length > 0) {
      var last = frame.ops[frame.ops.length - 1]
      for (var i = 0; i < this.pushes(last.op); i++) last.result.push(word(i).toString(16))
    }
    var bytes = function (i) {
      var from = word(i).valueOf()
      return log.memory.slice(from, from + word(i + 1).valueOf())
    }
    switch (log.op.toString()) {
      case 'CALL': case 'CALLCODE':
        told.gas = word(0).valueOf()
        told.to = word(1).toString(16)
        told.value = word(2).toString()
        told.input = bytes(3)
        told.error = null
        told.return = null
        told.ops = []
        this.frames.push(told)
        break
      case 'DELEGATECALL': case 'STATICCALL':
        told.op = log.op.toString()
        told.gas = word(0).valueOf()
        told.to = word(1).toString(16)
        told.input = bytes(2)
        told.error = null
        told.return = null
        told.ops = []
        this.frames.push(told)
        break
      case 'RETURN': case 'REVERT':
        frame.return = bytes(0)
        break
      case 'STOP': case 'SELFDESTRUCT':
        frame.return = log.memory.slice(0, 0)
        break
      case 'JUMPDEST':
        told.pc = log.getPC()
    }
    if (log.op.isPush()) told.len = log.op.toNumber() - 0x5e
    frame.ops.push(told)
  },
  fault: function () {},
  result: function () { return this.frames[0].ops }
}`

export const SCRIPTS: Readonly<Record<string, string>> = {
  bigramTracer: BIGRAM,
  callTracerLegacy: CALL,
  evmdisTracer: EVMDIS,
  noopTracerLegacy: NOOP,
  opcountTracer: OPCOUNT,
  prestateTracerLegacy: PRESTATE,
  trigramTracer: TRIGRAM,
  unigramTracer: UNIGRAM,
  '4byteTracerLegacy': FOUR_BYTE,
}
