/** The layout of a home folder. */
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface HomePaths {
  readonly root: string
  readonly config: string
  readonly record: string
  readonly genesis: string
  /** Exists only for a profile that came from a file. */
  readonly profile: string
  readonly validatorKey: string
  /** Exists only for a chain with a mnemonic of its own. */
  readonly mnemonic: string
  readonly data: string
  /** Snapshots of the state, for new nodes. */
  readonly snapshots: string
  readonly lock: string
  /** Home of the engine that this node runs. */
  readonly engine: string
}

/** Returns `ALMANAC_HOME`, else `~/.almanac`. */
export function defaultHome(): string {
  return process.env['ALMANAC_HOME'] ?? join(homedir(), '.almanac')
}

export function homePaths(root: string): HomePaths {
  return {
    root,
    config: join(root, 'config.toml'),
    record: join(root, 'home.json'),
    genesis: join(root, 'genesis.json'),
    profile: join(root, 'profile.json'),
    validatorKey: join(root, 'priv_validator_key.json'),
    mnemonic: join(root, 'mnemonic'),
    data: join(root, 'data'),
    snapshots: join(root, 'snapshots'),
    lock: join(root, 'lock'),
    engine: join(root, 'engine'),
  }
}
