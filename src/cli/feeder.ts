/** `almanac feeder`: votes on prices for validators of a running chain, until Ctrl-C. */
import { Command } from 'commander'
import { createFeeder, type Feeder, type Look } from '../node/feeder/feeder.ts'
import { filePrices, httpPrices, type PriceSource, simulatedPrices } from '../node/feeder/prices.ts'
import { createRestChain } from '../node/feeder/rest-chain.ts'
import { createLog, type Log } from '../node/log.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { addNodeOptions, type NodeClient, type NodeFlags, openNode } from './client.ts'
import { addKeyringOptions, findKey, type KeyringFlags, openKeyring } from './keys.ts'
import { identityOfFlags } from './profile.ts'
import { addFeeOptions, feeOf, fetchChainId, parseUint } from './send-tx.ts'
import { processTerminal } from './terminal.ts'

interface FeederFlags extends KeyringFlags, NodeFlags {
  readonly from: string
  readonly validator: readonly string[]
  readonly source: string
  readonly path: string
  readonly fees?: string
  readonly gasPrices?: string
  readonly gas: string
  readonly every: string
  readonly logFormat: string
  readonly once?: boolean
}

/** Longest wait between two tries while the node or the source does not answer. */
const LONGEST_WAIT_MS = 30_000

function commandOf(): Command {
  const command = new Command('almanac feeder')
    .description('Votes on prices for validators: looks at the chain again and again, one vote each voting period.')
    .exitOverride()
  return addFeeOptions(addNodeOptions(addKeyringOptions(command)))
    .requiredOption('--from <key>', 'name or address of the key that votes: the validator’s own, or its delegate’s')
    .requiredOption(
      '--validator <operator[=key]>',
      'operator to vote for, with a key of its own if not that of --from; may be given often',
      (value, list: readonly string[] = []) => [...list, value],
    )
    .requiredOption('--source <source>', 'file:PATH, an http(s) URL (JSON: prices by pair), or simulated[:SEED]')
    .option('--path <way>', 'way to the prices in the JSON, as data.rates', '')
    .option('--gas <gas>', 'gas limit of each vote', '7000')
    .option('--every <ms>', 'how often to look, milliseconds', '500')
    .option('--log-format <format>', 'text or json', 'text')
    .option('--once', 'vote once: promise, reveal in the next voting period, and end; nothing is tried again')
}

function sourceOf({ source, path }: FeederFlags): PriceSource {
  if (source.startsWith('file:')) return filePrices(source.slice('file:'.length), path)
  if (/^https?:\/\//.test(source)) return httpPrices(source, path)
  const simulated = /^simulated(?::(\d{1,9}))?$/.exec(source)
  if (simulated) return simulatedPrices(Number(simulated[1] ?? 1))
  throw queryError('invalidArgument', `--source ${source}: must be file:PATH, an http(s) URL or simulated[:SEED]`)
}

/** What `get` answers; undefined where the node says that there is no such thing. */
async function getIfThere(node: NodeClient, path: string): Promise<unknown> {
  try {
    return await node.get(path)
  } catch (error) {
    if (error instanceof ChainError && error.status === 'notFound') return undefined
    throw error
  }
}

async function broadcast(node: NodeClient, tx: Uint8Array): Promise<{ readonly code: number; readonly log: string }> {
  const { tx_response: response } = (await node.post('/sdk/tx/v1beta1/txs', {
    tx_bytes: formatBase64(tx),
    mode: 'BROADCAST_MODE_SYNC',
  })) as { readonly tx_response: { readonly code: number; readonly raw_log: string } }
  return { code: response.code, log: response.raw_log }
}

async function openFeeders(node: NodeClient, flags: FeederFlags, log: Log): Promise<readonly Feeder[]> {
  const identity = identityOfFlags(flags)
  const keyring = openKeyring(flags, processTerminal())
  const prices = sourceOf(flags)
  const gasLimit = parseUint('gas', flags.gas)
  const chainId = await fetchChainId(node)
  const fee = await feeOf(node, flags, gasLimit)
  const chain = createRestChain(identity, chainId, {
    get: (path) => getIfThere(node, path),
    broadcast: (tx) => broadcast(node, tx),
  })
  const feeders: Feeder[] = []
  for (const given of flags.validator) {
    const [validator = '', name = flags.from] = given.split('=')
    const key = findKey(keyring, name)
    const privateKey = await keyring.privateKey(key.name)
    feeders.push(
      createFeeder({
        identity,
        chain,
        validator,
        key: { ...key, privateKey },
        prices,
        fee: () => fee,
        log,
        random: Math.random,
      }),
    )
    log('info', 'voting', { validator, key: key.name, chain_id: chainId, source: flags.source })
  }
  return feeders
}

export async function feeder(args: readonly string[]): Promise<number> {
  const command = commandOf()
  command.parse([...args], { from: 'user' })
  const flags = command.opts<FeederFlags>()
  if (flags.logFormat !== 'text' && flags.logFormat !== 'json') {
    throw queryError('invalidArgument', `--log-format ${flags.logFormat}: must be text or json`)
  }
  const every = Math.max(1, Number(parseUint('every', flags.every)))
  const write = (line: string) => process.stderr.write(line)
  const log = createLog({ format: flags.logFormat, level: 'debug', write, now: Date.now })
  const feeders = await openFeeders(openNode(flags), flags, log)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
  if (flags.once) {
    await voteOnce(feeders, every)
    return 0
  }
  for (let wait = every; ; await pause(wait)) {
    wait = (await lookAll(feeders, log)) ? every : Math.min(2 * wait, LONGEST_WAIT_MS)
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** A promise of each and then the reveal of each. Rejects at the first that fails. */
async function voteOnce(feeders: readonly Feeder[], every: number): Promise<void> {
  for (const act of ['step', 'conclude'] as const) {
    for (const one of feeders) {
      for (let look: Look = 'waiting'; look === 'waiting'; ) {
        look = await one[act]()
        if (look === 'refused') throw queryError('failedPrecondition', 'the node refused a vote')
        if (look === 'waiting') await pause(every)
      }
    }
  }
}

/** One look of each. False if one of them failed: the next look may well succeed. */
async function lookAll(feeders: readonly Feeder[], log: Log): Promise<boolean> {
  let isWell = true
  for (const one of feeders) {
    try {
      await one.step()
    } catch (error) {
      isWell = false
      log('warn', 'could not vote, trying again', {
        error: error instanceof ChainError ? error.message : String(error),
      })
    }
  }
  return isWell
}
