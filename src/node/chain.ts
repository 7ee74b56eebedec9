/** Which chain a start is about: that of a home, or one that leaves nothing behind; and where its store lies. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localnetGenesis } from '../app/localnet.ts'
import { storeNames } from '../app/modules.ts'
import type { GenesisDocument } from '../app/types.ts'
import type { Identity } from '../identity/types.ts'
import { formatRfc3339Nano } from '../primitives/time.ts'
import { deriveAccounts } from './accounts.ts'
import type { ResolvedConfig } from './config.ts'
import type { Files } from './files.ts'
import { type Home, openHome } from './home.ts'
import { acquireLock } from './lock.ts'
import type { Config } from './settings.ts'
import { derivedValidatorKey, type ValidatorKey, validatorKeyOf } from './validator-key.ts'

const UNATIVE_PER_NATIVE = 1_000_000n

export interface ChainOptions {
  readonly resolved: ResolvedConfig
  /** Folder of the chain; undefined leaves nothing behind. */
  readonly home: string | undefined
  readonly random?: (length: number) => Uint8Array
}

/** A chain before its store is opened. */
export interface Begun {
  readonly home: Home | undefined
  readonly config: Config
  readonly genesis: GenesisDocument
  readonly validatorKey: ValidatorKey
}

/** The chain of the home, or one of its own. */
export function openChain(
  { resolved, home: root, random }: ChainOptions,
  identity: Identity,
  files: Files,
  clock: () => number,
  undo: (() => unknown)[],
): Begun {
  const createGenesis = (config: Config, key: ValidatorKey) => buildGenesis(config, key, identity, clock)
  if (root === undefined) {
    const { config } = resolved
    const validatorKey = derivedValidatorKey(config.chain.mnemonic, config.chain.id)
    return { home: undefined, config, validatorKey, genesis: createGenesis(config, validatorKey) }
  }
  undo.push(acquireLock(join(root, 'lock'), files))
  const home = openHome({
    root,
    files,
    resolved,
    stores: storeNames,
    createValidatorKey: () => validatorKeyOf(random?.(32) ?? new Uint8Array(randomBytes(32))),
    createGenesis,
  })
  return { home, config: home.config, genesis: home.genesis, validatorKey: home.validatorKey }
}

function buildGenesis(config: Config, key: ValidatorKey, identity: Identity, clock: () => number): GenesisDocument {
  const { mnemonic, accounts, balance, blockGasLimit, id, fork } = config.chain
  return localnetGenesis({
    identity,
    chainId: id,
    genesisTime: formatRfc3339Nano(BigInt(clock()) * 1_000_000n),
    accounts: deriveAccounts(mnemonic, accounts, identity).map(({ addressBytes }) => ({
      address: addressBytes,
      balanceUnative: balance * UNATIVE_PER_NATIVE,
    })),
    validator: { publicKey: key.publicKey },
    blockGasLimit,
    fork,
  })
}

/** Where the store lies: in the home, in a temporary folder if workers must read it, or nowhere. */
export function dataFolder({ home }: Begun, config: Config, undo: (() => unknown)[]): string | undefined {
  if (home) return home.paths.data
  if (config.compute.workers === 0 && config.api.workers === 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'almanac-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
