/** `almanac feeder`: votes on prices for validators of a running chain until it is stopped. */
import { Command, Option } from 'commander'
import { createFeeder, type Feeder, type StepResult } from '../node/feeder/feeder.ts'
import { filePrices, httpPrices, type PriceSource, simulatedPrices } from '../node/feeder/prices.ts'
import { createRestChain } from '../node/feeder/rest-chain.ts'
import { createLog, type Log } from '../node/log.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { addNodeOptions, type NodeClient, type NodeFlags, openNode } from './client.ts'
import { addKeyringOptions, findKey, type KeyringFlags, openKeyring } from './keys/open.ts'
import { identityOfFlags } from './profile.ts'
import { processTerminal } from './terminal.ts'
import { fetchChainId, parseUint } from './tx/account.ts'
import { addFeeOptions, feesOf } from './tx/fee.ts'

interface FeederFlags extends KeyringFlags, NodeFlags {
  readonly from: string
  readonly validator: readonly string[]
  readonly source: string
  readonly path: string
  readonly fees?: string
  readonly gasPrices?: string
  readonly gas?: string
  readonly every: string
  readonly logFormat: string
  readonly once?: boolean
}

/** Maximum delay between two attempts while the node or the price source does not answer. Unit: milliseconds. */
const MAX_RETRY_DELAY_MS = 30_000

function commandOf(): Command {
  const command = new Command('almanac feeder')
    .description('Vote on prices for validators, once each voting period, until Ctrl-C.')
    .exitOverride()
  return addFeeOptions(addNodeOptions(addKeyringOptions(command)))
    .requiredOption(
      '--from <key>',
      'name or address of the key that votes: the key of the operator, or of its delegated feeder',
    )
    .requiredOption(
      '--validator <operator[=key]>',
      'operator to vote for, with its key if that differs from --from; can be repeated',
      (value, list: readonly string[] = []) => [...list, value],
    )
    .requiredOption(
      '--source <source>',
      'price source: file:PATH or an http(s) URL with JSON (prices by pair), or simulated[:SEED]',
    )
    .addOption(
      new Option('--path <keys>', 'path of the prices in the JSON, such as data.rates').default('', 'the whole JSON'),
    )
    .option(
      '--gas <gas>',
      'gas limit of each vote (default: 150000 for the first one, which may not be due, then 7000)',
    )
    .option('--every <ms>', 'time between two polls of the chain, in milliseconds', '500')
    .option('--log-format <format>', 'log format: text or json', 'text')
    .option('--once', 'vote once: commit, reveal in the next voting period, and exit; do not retry')
}

function sourceOf({ source, path }: FeederFlags): PriceSource {
  if (source.startsWith('file:')) return filePrices(source.slice('file:'.length), path)
  if (/^https?:\/\//.test(source)) return httpPrices(source, path)
  const simulated = /^simulated(?::(\d{1,9}))?$/.exec(source)
  if (simulated) return simulatedPrices(Number(simulated[1] ?? 1))
  throw queryError('invalidArgument', `--source ${source}: must be file:PATH, an http(s) URL or simulated[:SEED]`)
}

/** Returns the answer to a GET request; undefined if the node answers 404. */
async function getIfFound(node: NodeClient, path: string): Promise<unknown> {
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
  const gasLimit = flags.gas === undefined ? undefined : parseUint('--gas', flags.gas)
  const chainId = await fetchChainId(node)
  const fees = await feesOf(node, flags)
  const chain = createRestChain(identity, chainId, {
    get: (path) => getIfFound(node, path),
    broadcast: (tx) => broadcast(node, tx),
  })
  const feeders: Feeder[] = []
  for (const entry of flags.validator) {
    const [validator = '', name = flags.from] = entry.split('=')
    const key = findKey(keyring, name)
    const privateKey = await keyring.privateKey(key.name)
    feeders.push(
      createFeeder({
        identity,
        chain,
        validator,
        key: { ...key, privateKey },
        prices,
        fee: (needed) => fees(gasLimit ?? needed),
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
  const every = Math.max(1, Number(parseUint('--every', flags.every)))
  const write = (line: string) => process.stderr.write(line)
  const log = createLog({ format: flags.logFormat, level: 'debug', write, now: Date.now })
  const feeders = await openFeeders(openNode(flags), flags, log)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(0))
  if (flags.once) {
    await voteOnce(feeders, every)
    return 0
  }
  for (let wait = every; ; await pause(wait)) {
    wait = (await pollAll(feeders, log)) ? every : Math.min(2 * wait, MAX_RETRY_DELAY_MS)
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Sends the commitment of each feeder, then the reveal of each. Rejects at the first failure. */
async function voteOnce(feeders: readonly Feeder[], every: number): Promise<void> {
  for (const act of ['step', 'conclude'] as const) {
    for (const one of feeders) {
      for (let result: StepResult = 'waiting'; result === 'waiting'; ) {
        result = await one[act]()
        if (result === 'refused') throw queryError('failedPrecondition', 'the node refused a vote')
        if (result === 'waiting') await pause(every)
      }
    }
  }
}

/** Polls the chain once for each feeder. Resolves to false if one failed; the next poll can succeed. */
async function pollAll(feeders: readonly Feeder[], log: Log): Promise<boolean> {
  let succeeded = true
  for (const one of feeders) {
    try {
      await one.step()
    } catch (error) {
      succeeded = false
      log('warn', 'could not vote, will retry', {
        error: error instanceof ChainError ? error.message : String(error),
      })
    }
  }
  return succeeded
}
