/**
 * `npm run frames -- FOLDER [--address ADDRESS] [--verbose]`: plays a recording of the frames between an engine and the reference's
 * application, over sockets, and compares what is hashed: code, data and gas of each result, app hashes, changes of validators and
 * parameters. Plays to this build, or to a node that waits for an engine at the address. Exits with 1 if there is a difference,
 * and with 2 if it cannot run.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { createApplication } from '../src/app/application.ts'
import { storesOf } from '../src/app/stores.ts'
import type { HashedResult } from '../src/consensus/comet/encoding.ts'
import { hashResults } from '../src/consensus/comet/hashes.ts'
import { startComet } from '../src/consensus/cometbft/comet.ts'
import { createFrameReader, frameOf } from '../src/consensus/cometbft/frames.ts'
import { genesisOf } from '../src/consensus/cometbft/genesis.ts'
import { NO_JOURNAL } from '../src/consensus/cometbft/kept-txs.ts'
import { openEngineSocket } from '../src/consensus/cometbft/waiting.ts'
import { createExecutor } from '../src/consensus/executor.ts'
import {
  type RequestInitChain,
  RequestSchema,
  type Response,
  ResponseSchema,
} from '../src/gen/tendermint/abci/types_pb.ts'
import { ConsensusParamsSchema } from '../src/gen/tendermint/types/params_pb.ts'
import { evmChainIdOf } from '../src/identity/identity.ts'
import { identityOf } from '../src/identity/profiles.ts'
import { openStore } from '../src/node/backend.ts'
import { equal, formatHex } from '../src/primitives/bytes.ts'

interface Frame {
  readonly c: number
  readonly d: 'req' | 'res'
  readonly b: string
}

/** A request with the reference's answer. */
interface Exchange {
  readonly connection: number
  readonly request: Uint8Array
  readonly answer: Response['value']
}

function readExchanges(folder: string): Exchange[] {
  const text = gunzipSync(readFileSync(join(folder, 'frames.jsonl.gz'))).toString()
  const frames = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Frame)
  const answers = new Map<number, Frame[]>()
  for (const frame of frames) {
    if (frame.d !== 'res') continue
    const list = answers.get(frame.c)
    if (list) list.push(frame)
    else answers.set(frame.c, [frame])
  }
  const next = new Map<number, number>()
  return frames.flatMap((frame) => {
    if (frame.d !== 'req') return []
    const at = next.get(frame.c) ?? 0
    next.set(frame.c, at + 1)
    const answer = answers.get(frame.c)![at]!
    return [
      {
        connection: frame.c,
        request: Buffer.from(frame.b, 'base64'),
        answer: fromBinary(ResponseSchema, Buffer.from(answer.b, 'base64')).value,
      },
    ]
  })
}

/** Opens a connection that waits for each answer before the next request. */
async function open(address: string): Promise<(message: Uint8Array) => Promise<Response['value']>> {
  const { protocol, hostname, port } = new URL(address)
  const socket: Socket =
    protocol === 'unix:' ? connect(address.slice('unix://'.length)) : connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  const reader = createFrameReader()
  const waiting: ((value: Response['value']) => void)[] = []
  socket.on('data', (chunk: Buffer) => {
    for (const bytes of reader.push(chunk)) waiting.shift()!(fromBinary(ResponseSchema, bytes).value)
  })
  return (message) => {
    const answered = new Promise<Response['value']>((resolve) => waiting.push(resolve))
    socket.write(frameOf(message))
    return answered
  }
}

/** Returns what the chain hashes of an answer, as text; undefined if nothing is. */
function hashedOf(value: Response['value']): string | undefined {
  const updates = (list: readonly { readonly pubKey?: unknown; readonly power: bigint }[]) =>
    list
      .map(({ pubKey, power }) => `${formatHex((pubKey as { sum: { value: Uint8Array } }).sum.value)}=${power}`)
      .sort()
      .join(' ')
  switch (value.case) {
    case 'deliverTx': {
      const { code, data, gasWanted, gasUsed } = value.value
      return `code ${code} data ${formatHex(data)} wanted ${gasWanted} used ${gasUsed}`
    }
    case 'initChain':
      return `${formatHex(value.value.appHash)} ${updates(value.value.validators)}`
    case 'endBlock': {
      const { validatorUpdates, consensusParamUpdates: params } = value.value
      return `${updates(validatorUpdates)} ${params ? formatHex(toBinary(ConsensusParamsSchema, params)) : ''}`
    }
    case 'commit':
      return formatHex(value.value.data)
    case 'processProposal':
      return String(value.value.status)
    case 'exception':
      return value.value.error
    default:
      return undefined
  }
}

/** An application that listens, and how to end it. `failures` are what it reports. */
interface Listening {
  readonly address: string
  readonly failures: readonly unknown[]
  end(): Promise<void>
}

/** Starts this build as the application of the recorded chain. */
async function startHere(begin: RequestInitChain): Promise<Listening> {
  const genesis = genesisOf(begin)
  const identity = identityOf('nibiru')
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-frames-'))
  const address = `unix://${join(scratch, 'abci.sock')}`
  const { store } = await openStore({ path: undefined }, storesOf(identity))
  const failures: unknown[] = []
  const executor = createExecutor({
    app: createApplication({
      identity,
      chainId: genesis.chain_id,
      evmChainId: evmChainIdOf(identity, genesis.chain_id),
      settings: { minGasPrices: '' },
      onBug: (error) => failures.push(error),
    }),
    store,
    elapsed: () => performance.now(),
    onHalt: ({ reason }) => failures.push(reason),
    onListenerFailure: (error) => failures.push(error),
  })
  const socket = await openEngineSocket({
    address,
    onFailure: (error) => failures.push(error),
    onBadClient: (error) => failures.push(error),
  })
  const comet = startComet({
    executor,
    genesis,
    socket,
    rpc: { broadcast: async () => [], isCatchingUp: async () => false },
    name: 'almanac',
    version: '',
    keepHeights: 0,
    hasWholeHeaders: identity.behaviours.wholeHeadersInStaking,
    journal: NO_JOURNAL,
    limits: { maxTxs: 5000, maxBytes: 256_000_000, maxTxBytes: 1_000_000, slotsPerSender: 5000 },
    query: async () => ({}),
    onInfo: () => undefined,
    now: Date.now,
    elapsed: () => performance.now(),
    onFailure: (what, error) => failures.push(`${what}: ${error}`),
  })
  return {
    address,
    failures,
    async end() {
      await socket.close()
      await comet.stop()
      store.close()
      rmSync(scratch, { recursive: true })
    },
  }
}

/** Returns the InitChain of a recording. */
function beginOf(exchanges: readonly Exchange[]): RequestInitChain {
  for (const { request } of exchanges) {
    const { value } = fromBinary(RequestSchema, request)
    if (value.case === 'initChain') return value.value
  }
  throw new Error('the recording has no InitChain')
}

interface Count {
  equal: number
  different: number
}

/** Plays the requests to a listening application, and counts the answers by kind. `report` receives each difference. */
async function play(
  exchanges: readonly Exchange[],
  { address, failures }: Listening,
  report: (text: string) => void,
): Promise<ReadonlyMap<string, Count>> {
  const connections = await Promise.all([0, 1, 2, 3].map(() => open(address)))
  const counts = new Map<string, Count>()
  let height = 0n
  const headers = { equal: 0, different: 0 }
  counts.set('last_results_hash', headers)
  let results: HashedResult[] = []
  for (const { connection, request, answer } of exchanges) {
    const found = await connections[connection]!(request)
    if (failures.length > 0) throw new Error(String(failures[0]))
    const { value } = fromBinary(RequestSchema, request)
    if (value.case === 'beginBlock') {
      const { header } = value.value
      height = header?.height ?? 0n
      if (header && header.lastResultsHash.length > 0) {
        headers[equal(hashResults(results), header.lastResultsHash) ? 'equal' : 'different']++
      }
      results = []
    }
    if (found.case === 'deliverTx') results.push(found.value)
    const [ours, theirs] = [hashedOf(found), hashedOf(answer)]
    if (theirs === undefined) continue
    const count = counts.get(answer.case!) ?? { equal: 0, different: 0 }
    counts.set(answer.case!, count)
    count[ours === theirs ? 'equal' : 'different']++
    if (ours !== theirs) report(`height ${height}, ${answer.case}:\n  reference ${theirs}\n  ours      ${ours}\n`)
  }
  return counts
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { verbose: { type: 'boolean' }, address: { type: 'string' } },
  })
  const [folder] = positionals
  if (!folder || positionals.length > 1) {
    throw new Error('usage: npm run frames -- FOLDER [--address tcp://HOST:PORT|unix://PATH] [--verbose]')
  }
  const exchanges = readExchanges(folder)
  const { address } = values
  const listening = address
    ? { address, failures: [], end: async () => undefined }
    : await startHere(beginOf(exchanges))
  const counts = await play(exchanges, listening, (text) => {
    if (values.verbose) process.stdout.write(text)
  })
  for (const [name, { equal, different }] of counts) {
    process.stdout.write(`${name.padEnd(18)} ${equal} equal, ${different} different\n`)
  }
  await listening.end()
  return [...counts.values()].some(({ different }) => different > 0) ? 1 : 0
}

try {
  process.exit(await main())
} catch (error) {
  process.stderr.write(`frames: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(2)
}
