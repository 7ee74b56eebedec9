/** Parsing of genesis documents: JSON and the outermost fields. Modules check their own sections. */
import type { ChainError } from '../primitives/errors.ts'
import { queryError } from '../primitives/errors.ts'
import { type JsonData, parseJsonText } from '../primitives/json-text.ts'
import { parseRfc3339 } from '../primitives/time.ts'
import type { GenesisDocument } from './types.ts'

type JsonObject = { readonly [name: string]: JsonData }

function isObject(value: JsonData | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_CHAIN_ID = 50

/** Returns the engine's parameters: `consensus_params`, or `consensus.params` of later releases of the family. */
function consensusParams(document: JsonObject): JsonData | undefined {
  const { consensus_params: params, consensus } = document
  return params ?? (isObject(consensus) ? consensus['params'] : undefined)
}

/**
 * Parses a genesis document. `source` names the file in errors. Throws `invalidArgument` with the line and column of invalid
 * JSON, or with the missing or invalid field.
 */
export function parseGenesis(text: string, source: string): GenesisDocument {
  const fault = (place: string, reason: string): ChainError =>
    queryError('invalidArgument', `${source}: ${place}: ${reason}`)
  const json = parseJsonText(text, source)
  if (!isObject(json)) throw queryError('invalidArgument', `${source}: expected a JSON object`)
  const { chain_id: chainId, genesis_time: time, app_state: state } = json
  if (typeof chainId !== 'string' || chainId === '') throw fault('chain_id', 'must be a text')
  if (chainId.length > MAX_CHAIN_ID) throw fault('chain_id', `must have at most ${MAX_CHAIN_ID} characters`)
  if (typeof time !== 'string' || parseRfc3339(time) === undefined)
    throw fault('genesis_time', 'must be an RFC 3339 time')
  const initialHeight = String(json['initial_height'] ?? '1')
  if (!/^\d{1,15}$/.test(initialHeight)) throw fault('initial_height', 'must be a height')
  if (!isObject(state)) throw fault('app_state', 'must be an object')
  const params = consensusParams(json) ?? {}
  if (!isObject(params)) throw fault('consensus_params', 'must be an object')
  const { validators = null } = json
  if (validators !== null && !Array.isArray(validators)) throw fault('validators', 'must be a list')
  return {
    chain_id: chainId,
    genesis_time: time,
    initial_height: initialHeight === '0' ? '1' : initialHeight,
    consensus_params: params,
    app_hash: '',
    app_state: state,
    ...(Array.isArray(validators) && { validators }),
  }
}
