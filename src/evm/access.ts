/** The host functions of one execution: the opcodes that touch state, over its journal, and those of block, logs and return data. */
import { fromKey, ZERO_WORD } from '../primitives/bytes.ts'
import type { AccessContext } from './access-context.ts'
import { createAccessReports } from './access-reports.ts'
import type { Word } from './account.ts'
import { createAccountAccess } from './account-access.ts'
import { createAccountOpcodes } from './account-opcodes.ts'
import { createCallPrice } from './call-price.ts'
import type { Host, Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import { A, B } from './layout.ts'
import { pricesOf } from './prices.ts'
import type { RunningState } from './running.ts'
import { createSelfdestruct } from './selfdestruct.ts'
import { createStorageOpcodes } from './storage-opcodes.ts'
import type { EvmOptions } from './types.ts'

export function createAccess(
  interpreter: Interpreter,
  journal: Journal,
  running: RunningState,
  { state, rules, block, tx, tracer, light, shouldStop }: EvmOptions,
): Host {
  const prices = pricesOf(rules)
  const context: AccessContext = {
    interpreter,
    journal,
    running,
    rules,
    prices,
    accounts: createAccountAccess(interpreter, journal, rules, prices),
    reports: createAccessReports(interpreter, journal, running, tracer),
  }
  const { sload, sstore, tload, tstore } = createStorageOpcodes(context)
  const { balance, selfbalance, extcodehash, extcodesize, extcodecopy } = createAccountOpcodes(context)

  // Each method by name: a spread would cost time in every transaction.
  return {
    sload,
    sstore,
    tload,
    tstore,
    balance,
    selfbalance,
    extcodehash,
    extcodesize,
    extcodecopy,
    selfdestruct: createSelfdestruct(context),
    callcost: createCallPrice(context),
    blockhash() {
      const bytes = interpreter.bytes()
      const wanted = bytes.readBigUInt64BE(A + 24)
      let high = 0
      for (let i = A; i < A + 24; i++) high |= bytes[i]!
      const inWindow = high === 0 && wanted < block.number && wanted + 256n >= block.number
      const hash = inWindow ? state.blockHash(wanted) : ZERO_WORD
      bytes.set(hash, B)
    },
    blobhash(index) {
      interpreter.bytes().set(tx.blobHashes[index >>> 0] ?? ZERO_WORD, B)
    },
    log(data, length, topics, count) {
      const bytes = interpreter.bytes()
      const words: Word[] = []
      for (let i = 0; i < count; i++) words.push(bytes.latin1Slice(topics - 32 * i, topics - 32 * i + 32))
      journal.logRaw(running.self, words, bytes.latin1Slice(data, data + length))
      tracer?.log?.({
        address: running.self.address,
        topics: words.map(fromKey),
        data: interpreter.slice(data, data + length),
      })
    },
    returndatacopy(target, offset, length) {
      interpreter.bytes().set(running.largeReturn.subarray(offset, offset + length), target)
    },
    pause() {
      if (light && shouldStop?.()) light.giveUp()
    },
  }
}
