/** The state of height 0 from a genesis document, and back. */
import { create, type JsonValue } from '@bufbuild/protobuf'
import { type ConsensusParams, ConsensusParamsSchema } from '../gen/tendermint/types/params_pb.ts'
import * as consensus from '../modules/consensus/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import { ChainError } from '../primitives/errors.ts'
import { parseDuration, parseRfc3339, toDuration } from '../primitives/time.ts'
import type { ReadContext } from '../sdk/context.ts'
import { createContext, createTransient } from '../sdk/create-context.ts'
import { errors } from '../sdk/errors.ts'
import type { Branch } from '../store/types.ts'
import type { Machine } from './machine.ts'
import type { Validator } from './records.ts'
import type { GenesisDocument } from './types.ts'

type Json = Readonly<Record<string, unknown>>

function integer(part: Json, key: string, fallback: bigint): bigint {
  const value = part[key]
  if (value === undefined) return fallback
  if (!/^-?\d{1,19}$/.test(String(value))) throw errors.invalidRequest(`consensus_params: ${key} is not an integer`)
  return BigInt(value as string | number)
}

/** The engine writes durations as nanoseconds; text with a unit is understood too. */
function durationNs(part: Json, key: string, fallback: bigint): bigint {
  const value = part[key]
  const text = String(value)
  const parsed = value === undefined ? fallback : /^\d{1,19}$/.test(text) ? BigInt(text) : parseDuration(text)
  if (parsed === undefined) throw errors.invalidRequest(`consensus_params: ${key} is not a duration`)
  return parsed
}

/** Parameters of the engine from a document's `consensus_params`; defaults where it is silent. */
function parseConsensusParams(json: Json): ConsensusParams {
  const defaults = consensus.defaultParams()
  const part = (key: string) => (json[key] ?? {}) as Json
  const [block, evidence, validator] = [part('block'), part('evidence'), part('validator')]
  const types = validator['pub_key_types']
  return create(ConsensusParamsSchema, {
    block: {
      maxBytes: integer(block, 'max_bytes', defaults.block!.maxBytes),
      maxGas: integer(block, 'max_gas', defaults.block!.maxGas),
    },
    evidence: {
      maxAgeNumBlocks: integer(evidence, 'max_age_num_blocks', defaults.evidence!.maxAgeNumBlocks),
      maxAgeDuration: toDuration(
        durationNs(evidence, 'max_age_duration', defaults.evidence!.maxAgeDuration!.seconds * 1_000_000_000n),
      ),
      maxBytes: integer(evidence, 'max_bytes', defaults.evidence!.maxBytes),
    },
    validator: { pubKeyTypes: Array.isArray(types) ? types.map(String) : defaults.validator!.pubKeyTypes },
  })
}

/** Writes the state of height 0. Throws a `ChainError` naming the module and the place that is wrong. */
export function initChain(
  machine: Machine,
  document: GenesisDocument,
  base: Branch,
): { readonly validators: readonly Validator[] } {
  const timeNs = parseRfc3339(document.genesis_time)
  if (timeNs === undefined) throw errors.invalidRequest(`genesis_time ${document.genesis_time} is not RFC 3339`)
  if (document.chain_id !== machine.chainId) {
    throw errors.invalidChainId(`genesis is of ${document.chain_id}, this node of ${machine.chainId}`)
  }
  const ctx = createContext({
    branch: base,
    transient: createTransient(),
    identity: machine.identity,
    app: machine.router.facts,
    block: {
      height: 0n,
      timeNs,
      chainId: machine.chainId,
      evmChainId: machine.evmChainId,
      proposer: new Uint8Array(0),
      hash: new Uint8Array(0),
      lastCommitHash: new Uint8Array(0),
      gasLimit: 0n,
      votes: [],
    },
  })
  consensus.setParams(ctx, parseConsensusParams(document.consensus_params))
  const known = new Set(machine.modules.flatMap(({ name, genesis }) => (genesis ? [name] : [])))
  for (const name of Object.keys(document.app_state)) {
    if (!known.has(name)) throw errors.notSupported(`genesis: module ${name} is not part of this build`)
  }
  for (const { name, genesis } of machine.modules) {
    if (!genesis) continue
    const json = (document.app_state[name] ?? genesis.defaults(ctx)) as JsonValue
    try {
      genesis.init(ctx, json)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      const { codespace, code, status } = error
      throw new ChainError(codespace, { code, status, text: '' }, `genesis of module ${name}: ${error.message}`)
    }
  }
  base.events.length = 0
  return { validators: staking.updatesOfBlock(ctx) }
}

/** Every module's genesis at a state. */
export function exportGenesis(machine: Machine, ctx: ReadContext): Record<string, unknown> {
  return Object.fromEntries(
    machine.modules.flatMap(({ name, genesis }) => (genesis ? [[name, genesis.export(ctx)]] : [])),
  )
}
