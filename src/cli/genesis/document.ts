/** The genesis document that a home prepares, in `config/genesis.json`, before the first start of its chain. */
import { join } from 'node:path'
import type { JsonValue } from '@bufbuild/protobuf'
import { parseGenesis } from '../../app/genesis-document.ts'
import { formatConsensusParams, parseConsensusParams } from '../../app/genesis-params.ts'
import { emptyContext } from '../../app/localnet.ts'
import { modules } from '../../app/modules.ts'
import type { GenesisDocument } from '../../app/types.ts'
import { GENESIS_TRANSACTIONS } from '../../app/unbuilt-sections.ts'
import type { Identity } from '../../identity/types.ts'
import { diskFiles } from '../../node/files.ts'
import { homePaths } from '../../node/home-paths.ts'
import { queryError } from '../../primitives/errors.ts'

/** Returns the path of the document in preparation, as the family has it. */
export const preparedPath = (home: string): string => join(home, 'config', 'genesis.json')

/** Returns the folder of genesis transactions. */
export const gentxFolder = (home: string): string => join(home, 'config', 'gentx')

/** Makes a document with the defaults of all modules, without accounts or validators. */
export function emptyGenesis(identity: Identity, chainId: string, genesisTime: string): GenesisDocument {
  const ctx = emptyContext(identity, chainId)
  const sections = modules.flatMap(({ name, genesis }) => (genesis ? [[name, genesis.defaults(ctx)] as const] : []))
  return {
    chain_id: chainId,
    genesis_time: genesisTime,
    initial_height: '1',
    consensus_params: formatConsensusParams(parseConsensusParams({})) as GenesisDocument['consensus_params'],
    app_hash: '',
    app_state: { ...Object.fromEntries(sections), [GENESIS_TRANSACTIONS]: { gen_txs: [] } },
  }
}

/** Reads the document in preparation. Throws `notFound` without one, `failedPrecondition` for a home whose chain has begun. */
export function readPrepared(home: string): GenesisDocument {
  if (diskFiles.exists(homePaths(home).record))
    throw queryError('failedPrecondition', `the chain in ${home} has begun: its genesis cannot change`)
  const path = preparedPath(home)
  const text = diskFiles.read(path)
  if (text === undefined) throw queryError('notFound', `${path}: no such file; \`almanac init MONIKER\` makes it`)
  return parseGenesis(text, path)
}

export function writePrepared(home: string, document: GenesisDocument): void {
  diskFiles.write(preparedPath(home), `${JSON.stringify(document, null, 2)}\n`)
}

type Section = { [key: string]: JsonValue }

/** Returns the section of a module, which can be edited. Throws `invalidArgument` for a document without it. */
export function sectionOf(document: GenesisDocument, module: string): Section {
  const section = (document.app_state as Record<string, unknown>)[module]
  if (typeof section === 'object' && section !== null && !Array.isArray(section)) return section as Section
  throw queryError('invalidArgument', `app_state.${module} of the genesis document: must be an object`)
}

/** Returns a list in a section, which can be edited. Throws `invalidArgument` for anything else than a list of objects there. */
export function listOf<Item = JsonValue>(section: Section, name: string): Item[] {
  section[name] ??= []
  const list = section[name]
  if (Array.isArray(list) && list.every((item) => typeof item === 'object' && item !== null))
    return list as unknown as Item[]
  throw queryError('invalidArgument', `${name} of the genesis document: must be a list of objects`)
}
