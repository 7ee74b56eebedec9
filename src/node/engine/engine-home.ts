/** The home of an engine that this node runs, in the folder `engine` of its own. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { formatConsensusParams, parseConsensusParams } from '../../app/genesis-params.ts'
import type { GenesisDocument } from '../../app/types.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Files } from '../files.ts'
import { formatValidatorKey, type ValidatorKey } from '../validator-key.ts'

/** Parts of the engine's home that belong to one chain: all but its settings and the key for peers. */
export const ENGINE_CHAIN = ['data', 'config/genesis.json', 'config/priv_validator_key.json', 'config/addrbook.json']
/** The record of what the validator has signed, without which the engine does not start. */
const SIGNED = 'data/priv_validator_state.json'
/** The engine's blocks. */
const BLOCKS = 'data/blockstore.db'

/** Returns the document in the form that CometBFT reads: it names the first validators only if the document does. */
function engineGenesis(genesis: GenesisDocument): Record<string, unknown> {
  const { validators, consensus_params: params, app_hash: _, ...rest } = genesis
  return {
    ...rest,
    consensus_params: {
      ...formatConsensusParams(parseConsensusParams(params as Parameters<typeof parseConsensusParams>[0])),
      version: { app: '0' },
      abci: { vote_extensions_enable_height: '0' },
    },
    ...(validators && { validators }),
    app_hash: '',
  }
}

/**
 * Prepares the home of the engine: `init` of its program writes the configuration, and this node its genesis document and
 * validator key, if it has one. Later starts leave it as it is. Throws `failedPrecondition` if the record of the validator's
 * signatures is gone.
 */
export function prepareEngineHome(
  path: string,
  root: string,
  genesis: GenesisDocument,
  key: ValidatorKey | undefined,
  files: Files,
): void {
  const document = join(root, 'config/genesis.json')
  if (files.exists(join(root, 'config/config.toml')) && files.exists(document)) {
    requireSigned(join(root, SIGNED), files)
    return
  }
  execFileSync(path, ['init', '--home', root], { stdio: 'ignore', timeout: 30_000 })
  files.write(document, `${JSON.stringify(engineGenesis(genesis))}\n`)
  if (key) files.write(join(root, 'config/priv_validator_key.json'), formatValidatorKey(key), { secret: true })
}

/** Throws `failedPrecondition` without the record of signatures: with a new one a validator could sign a height a second time. */
function requireSigned(path: string, files: Files): void {
  if (files.exists(path)) return
  throw queryError(
    'failedPrecondition',
    `${path} is missing, which records what this validator has signed: put it back. If it is lost, wait until the chain has passed ` +
      'all heights that this validator can have signed, then write {"height":"0","round":0,"step":0} into it',
  )
}

/**
 * Returns why the validator of a home cannot sign the first block of its chain, undefined if it can. A record of signatures that
 * outlives the engine's blocks is such a reason: the engine refuses every height up to the recorded one.
 */
export function whyNotSigning(root: string, { initial_height }: GenesisDocument, files: Files): string | undefined {
  const path = join(root, SIGNED)
  const text = files.read(path)
  if (text === undefined || files.exists(join(root, BLOCKS))) return undefined
  const signed = /"height":\s*"?(\d+)"?/.exec(text)?.[1]
  if (signed === undefined) return `${path} has no height: put back the record of what this validator has signed`
  if (BigInt(signed) < BigInt(initial_height)) return undefined
  return (
    `the validator has signed up to height ${signed} (${path}), and its engine has no block: it signs none of the heights ` +
    `${initial_height} to ${signed}. A chain that begins again needs initial_height ${BigInt(signed) + 1n} or higher, or another validator ` +
    'key; on a chain that has passed them the engine signs once it has caught up'
  )
}
