/** The engine's parameters in genesis documents. */
import { create } from '@bufbuild/protobuf'
import { type ConsensusParams, ConsensusParamsSchema, VersionParamsSchema } from '../gen/tendermint/types/params_pb.ts'
import * as consensus from '../modules/consensus/keeper.ts'
import { parseDuration, toDuration } from '../primitives/time.ts'
import { errors } from '../sdk/errors.ts'
import { nanoseconds } from '../sdk/json.ts'
import { isDuration } from '../sdk/time-range.ts'

type Json = Readonly<Record<string, unknown>>

/** Reads a 64-bit number. Limits are signed, since -1 means no limit. */
function integer(part: Json, key: string, fallback: bigint, kind: 'signed' | 'unsigned' = 'signed'): bigint {
  const value = part[key]
  if (value === undefined) return fallback
  const text = String(value)
  const number = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined
  if (number === undefined || number !== (kind === 'signed' ? BigInt.asIntN(64, number) : BigInt.asUintN(64, number))) {
    throw errors.invalidRequest(`consensus_params: ${key} is not an integer of 64 bits`)
  }
  return number
}

/** Reads a duration: nanoseconds, as the engine writes it, or text with a unit. */
function durationNs(part: Json, key: string, fallback: bigint): bigint {
  const value = part[key]
  const text = String(value)
  const parsed = value === undefined ? fallback : /^\d{1,19}$/.test(text) ? BigInt(text) : parseDuration(text)
  if (parsed === undefined || !isDuration(parsed))
    throw errors.invalidRequest(`consensus_params: ${key} is not a duration`)
  return parsed
}

/** Parses `consensus_params`; absent entries have their defaults. Throws sdk 18 naming the entry. */
export function parseConsensusParams(json: Json): ConsensusParams {
  const defaults = consensus.defaultParams()
  const part = (key: string): Json => {
    const value = json[key] ?? {}
    if (typeof value !== 'object' || Array.isArray(value))
      throw errors.invalidRequest(`consensus_params: ${key} must be an object`)
    return value as Json
  }
  const [block, evidence, validator, version] = [part('block'), part('evidence'), part('validator'), part('version')]
  const types = validator['pub_key_types']
  const params = create(ConsensusParamsSchema, {
    block: {
      maxBytes: integer(block, 'max_bytes', defaults.block!.maxBytes),
      maxGas: integer(block, 'max_gas', defaults.block!.maxGas),
    },
    evidence: {
      maxAgeNumBlocks: integer(evidence, 'max_age_num_blocks', defaults.evidence!.maxAgeNumBlocks),
      maxAgeDuration: toDuration(
        durationNs(evidence, 'max_age_duration', nanoseconds(defaults.evidence!.maxAgeDuration)),
      ),
      maxBytes: integer(evidence, 'max_bytes', defaults.evidence!.maxBytes),
    },
    validator: { pubKeyTypes: Array.isArray(types) ? types.map(String) : defaults.validator!.pubKeyTypes },
  })
  // The engine passes the version on if a document has one, and it is stored unchanged.
  if ('version' in json) params.version = create(VersionParamsSchema, { app: integer(version, 'app', 0n, 'unsigned') })
  return params
}

/** Formats the current parameters for a document. */
export function formatConsensusParams({ block, evidence, validator, version }: ConsensusParams): Json {
  return {
    block: { max_bytes: String(block?.maxBytes ?? 0n), max_gas: String(block?.maxGas ?? -1n) },
    evidence: {
      max_age_num_blocks: String(evidence?.maxAgeNumBlocks ?? 0n),
      max_age_duration: nanoseconds(evidence?.maxAgeDuration).toString(),
      max_bytes: String(evidence?.maxBytes ?? 0n),
    },
    validator: { pub_key_types: validator?.pubKeyTypes ?? [] },
    ...(version && { version: { app: version.app.toString() } }),
  }
}
