/** Recordings of the reference chain: the contents of their files, read line by line. Errors name file and line. */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createGunzip, gunzipSync } from 'node:zlib'
import type { GenesisDocument } from '../src/app/types.ts'
import { ChainError } from '../src/primitives/errors.ts'

/** One line of `changes.jsonl.gz`: every key that a block wrote, sorted by store and key. Height 1 includes genesis. */
export interface RecordedChanges {
  readonly height: number
  readonly changes: readonly RecordedChange[]
}

interface RecordedChange {
  readonly store: string
  readonly key: string
  readonly value?: string
  readonly delete?: boolean
}

export interface RecordedEvent {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index?: boolean }[]
}

export interface RecordedResult {
  readonly code: number
  readonly codespace: string
  readonly gasWanted: string
  readonly gasUsed: string
  readonly log: string
  readonly info: string
  readonly events: readonly RecordedEvent[]
  /** Base64 of `TxMsgData`, or null. */
  readonly data: string | null
}

export interface RecordedBlockId {
  readonly hash: string
  readonly parts: { readonly total: number; readonly hash: string }
}

interface RecordedSignature {
  readonly validatorAddress: string
  /** 1 absent, 2 commit, 3 nil. */
  readonly flag: number
  readonly timestamp: string
  readonly signature: string | null
}

/** One line of `blocks.jsonl.gz`. Hashes are upper-case hex; times RFC 3339 with up to nine fraction digits. */
export interface RecordedBlock {
  readonly height: number
  readonly time: string
  readonly hash: string
  readonly partSetHeader: { readonly total: number; readonly hash: string }
  /** The app hash in the header, which is that of the state after the previous block. */
  readonly appHash: string
  readonly proposer: string
  readonly header: Readonly<Record<string, unknown>> & { readonly chain_id: string; readonly last_commit_hash: string }
  readonly lastCommit: {
    readonly height: number
    readonly round: number
    readonly blockId: RecordedBlockId
    readonly signatures: readonly RecordedSignature[]
  } | null
  readonly evidence: readonly Readonly<Record<string, unknown>>[]
  readonly txs: readonly string[]
  readonly results: readonly RecordedResult[]
  readonly beginBlockEvents: readonly RecordedEvent[]
  readonly endBlockEvents: readonly RecordedEvent[]
  readonly validatorUpdates: readonly Readonly<Record<string, unknown>>[]
  readonly consensusParamUpdates: Readonly<Record<string, unknown>> | null
}

/** One line of `validators.jsonl.gz`: the validator set that signs the block of a height. */
export interface RecordedValidators {
  readonly height: number
  readonly validators: readonly {
    readonly address: string
    readonly pubKey: { readonly type: string; readonly value: string }
    readonly votingPower: string
    readonly proposerPriority: string
  }[]
}

/** One line of `answers.jsonl.gz`. `header` is the height that the request's header selected, absent without the header. */
export interface RecordedAnswer {
  readonly height: number | null
  readonly header?: string
  readonly path: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** One line of `abci.jsonl.gz`; `data` and `value` are hex. */
export interface RecordedAbciAnswer {
  readonly height: number
  readonly path: string
  readonly request: Readonly<Record<string, unknown>>
  readonly data: string
  readonly code: number
  readonly log: string
  readonly value: string
  readonly answeredHeight: number
}

/** One line of `jsonrpc.jsonl.gz`. */
export interface RecordedRpcAnswer {
  readonly request: { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
  readonly status: number
  readonly body: string
}

/** One line of `steps.jsonl.gz`: a key, a contract, or a sent transaction. */
type RecordedStep = Readonly<Record<string, unknown>>

export interface Recording {
  readonly folder: string
  readonly name: string
  /** The profile under which the recorded chain ran: `nibiru` or `nibiru@2.17`. */
  readonly profile: string
  /** The EVM chain id of the recorded chain, if the summary contains it. */
  readonly evmChainId: bigint | undefined
  /** Height of the last block, if the summary contains it. */
  readonly last: number | undefined
  /** Whether the recording has a file of a kind. A recording can lack any of them. */
  has(kind: 'blocks' | 'answers' | 'abci' | 'jsonrpc'): boolean
  genesis(): GenesisDocument
  /** Yields the blocks in ascending height, without gaps. */
  blocks(): AsyncGenerator<RecordedBlock>
  changes(): AsyncGenerator<RecordedChanges>
  validators(): AsyncGenerator<RecordedValidators>
  answers(): AsyncGenerator<RecordedAnswer>
  abci(): AsyncGenerator<RecordedAbciAnswer>
  jsonRpc(): AsyncGenerator<RecordedRpcAnswer>
  steps(): AsyncGenerator<RecordedStep>
}

type Shape = Readonly<Record<string, 'number' | 'string' | 'array' | 'object'>>

const BLOCK: Shape = {
  ...{ height: 'number', time: 'string', hash: 'string', appHash: 'string', proposer: 'string', header: 'object' },
  ...{ txs: 'array', results: 'array', evidence: 'array', beginBlockEvents: 'array', endBlockEvents: 'array' },
}

function damaged(place: string, what: string): ChainError {
  return new ChainError('witness', { code: 1, status: 'dataLoss', text: 'damaged recording' }, `${place}: ${what}`)
}

/**
 * Opens a folder. Reads each file on demand; errors name file and line. Throws if the folder does not exist or contains no
 * recording.
 */
export function openRecording(folder: string): Recording {
  const root = resolve(folder)
  if (!existsSync(root) || !statSync(root).isDirectory()) throw damaged(folder, 'the folder does not exist')
  const file = (name: string) => join(root, name)
  if (!['blocks.jsonl.gz', 'answers.jsonl.gz'].some((name) => existsSync(file(name)))) {
    throw damaged(folder, 'the folder is not a recording: it contains neither blocks.jsonl.gz nor answers.jsonl.gz')
  }
  const { last, evmChainId } = readSummary(file('summary.json'))
  return {
    folder: root,
    name: basename(root),
    profile: profileOf(root),
    evmChainId,
    last,
    has: (kind) => existsSync(file(`${kind}.jsonl.gz`)),
    genesis: () => readDocument(file('genesis.json.gz')) as GenesisDocument,
    async *blocks() {
      for await (const { value, place } of byHeight<RecordedBlock>(file('blocks.jsonl.gz'), BLOCK, last)) {
        const { txs, results } = value
        if (txs.length !== results.length) {
          throw damaged(place, `the block has ${txs.length} transactions but ${results.length} results`)
        }
        yield value
      }
    },
    async *changes() {
      const shape: Shape = { height: 'number', changes: 'array' }
      for await (const { value, place } of byHeight<RecordedChanges>(file('changes.jsonl.gz'), shape, last)) {
        for (const [i, { store, key, value: bytes = '' }] of value.changes.entries()) {
          if (typeof store !== 'string' || !isHex(key) || !isHex(bytes)) {
            throw damaged(`${place}, change ${i + 1}`, 'store must be text, key and value must be hexadecimal')
          }
        }
        yield value
      }
    },
    async *validators() {
      const shape: Shape = { height: 'number', validators: 'array' }
      for await (const { value } of byHeight<RecordedValidators>(file('validators.jsonl.gz'), shape, undefined)) {
        yield value
      }
    },
    answers: () => valuesOf(file('answers.jsonl.gz'), { path: 'string', status: 'number', body: 'string' }),
    abci: () => valuesOf(file('abci.jsonl.gz'), { height: 'number', path: 'string', data: 'string', value: 'string' }),
    jsonRpc: () => valuesOf(file('jsonrpc.jsonl.gz'), { request: 'object', status: 'number', body: 'string' }),
    steps: () => valuesOf(file('steps.jsonl.gz'), {}),
  }
}

const isHex = (text: unknown): boolean => typeof text === 'string' && text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text)

/**
 * Returns the profile of a recording. A genesis of the line v2.11 has a section `feeibc`, and one of v2.17 has not. Without a
 * genesis, the README names the version.
 */
function profileOf(root: string): string {
  const genesis = join(root, 'genesis.json.gz')
  if (existsSync(genesis)) {
    const { app_state: state } = readDocument(genesis) as { app_state?: Record<string, unknown> }
    if (!state || typeof state !== 'object') throw damaged(genesis, 'app_state is missing')
    return 'feeibc' in state ? 'nibiru' : 'nibiru@2.17'
  }
  const readme = join(root, 'README.md')
  const minor = existsSync(readme) ? /\bv2\.(\d+)/.exec(readFileSync(readme, 'utf8'))?.[1] : undefined
  return Number(minor ?? 11) > 11 ? 'nibiru@2.17' : 'nibiru'
}

/** Reads the last height and the EVM chain id from the summary, if it exists and contains them. */
function readSummary(path: string): { readonly last: number | undefined; readonly evmChainId: bigint | undefined } {
  if (!existsSync(path)) return { last: undefined, evmChainId: undefined }
  const { heights, scenario } = parsed(readFileSync(path, 'utf8'), path) as {
    heights?: unknown
    scenario?: { evm_chain?: unknown }
  }
  const id = String(scenario?.evm_chain ?? '')
  return {
    last: Array.isArray(heights) && typeof heights[1] === 'number' ? heights[1] : undefined,
    evmChainId: /^\d+$/.test(id) ? BigInt(id) : undefined,
  }
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damaged(place, `not JSON: ${(error as Error).message}`)
  }
}

/** Reads a compressed JSON document. */
function readDocument(path: string): unknown {
  let text: string
  try {
    text = gunzipSync(readFileSync(path)).toString()
  } catch (error) {
    throw damaged(path, (error as Error).message)
  }
  return parsed(text, path)
}

interface Placed<T> {
  readonly value: T
  /** File and line. */
  readonly place: string
}

/** Yields the lines of a compressed file. Throws if a line is not a JSON object with these fields. */
async function* lines<T>(path: string, shape: Shape): AsyncGenerator<Placed<T>> {
  let number = 0
  for await (const text of textLines(path, () => number + 1)) {
    number++
    const place = `${path}, line ${number}`
    const value = parsed(text, place) as Record<string, unknown>
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw damaged(place, 'the line is not an object')
    for (const [field, type] of Object.entries(shape)) {
      const found = value[field]
      const actual = found === null ? 'null' : Array.isArray(found) ? 'array' : typeof found
      if (actual !== type) throw damaged(place, `${field} must be ${type}, but is ${actual}`)
    }
    yield { value: value as T, place }
  }
}

async function* valuesOf<T>(path: string, shape: Shape): AsyncGenerator<T> {
  for await (const { value } of lines<T>(path, shape)) yield value
}

/** Yields lines of consecutive heights. Throws if there is a gap, or if the last height is not `last`. */
async function* byHeight<T extends { readonly height: number }>(
  path: string,
  shape: Shape,
  last: number | undefined,
): AsyncGenerator<Placed<T>> {
  let before: number | undefined
  for await (const line of lines<T>(path, shape)) {
    const { height } = line.value
    if (before !== undefined && height !== before + 1) throw damaged(line.place, `height ${height} follows ${before}`)
    before = height
    yield line
  }
  if (before === undefined) throw damaged(path, 'the file is empty')
  if (last !== undefined && before !== last)
    throw damaged(path, `ends at height ${before}, but summary.json ends at height ${last}`)
}

async function* textLines(path: string, at: () => number): AsyncGenerator<string> {
  const source = createReadStream(path)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  const decoder = new TextDecoder()
  // A line can span several chunks. Its parts are joined once, so that a long line takes linear time.
  let parts: string[] = []
  try {
    for await (const chunk of gunzip) {
      const pieces = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n')
      for (const piece of pieces.slice(0, -1)) {
        parts.push(piece)
        yield parts.join('')
        parts = []
      }
      parts.push(pieces.at(-1)!)
    }
  } catch (error) {
    if (error instanceof ChainError) throw error
    throw damaged(`${path}, line ${at()}`, (error as Error).message)
  } finally {
    source.destroy()
  }
  const rest = parts.join('')
  if (rest !== '') yield rest
}
