/** Checks at the start that no key which others know, or can read, guards more than a development chain of this machine. */
import { isLoopback } from '../api/local-access.ts'
import { queryError } from '../primitives/errors.ts'
import type { Files } from './files.ts'
import { isDevelopment } from './gateway-node.ts'
import { type HomePaths, secretFiles } from './home.ts'
import type { Log } from './log.ts'
import { type Config, hasPublicKeys } from './settings.ts'

/** Returns the addresses of enabled gateways that other machines can reach. */
function openAddresses({ rest, grpc, jsonrpc, comet }: Config): string[] {
  return [rest, grpc, jsonrpc, comet].flatMap(({ enabled, host }) => (enabled && !isLoopback(host) ? [host] : []))
}

/** Returns the danger of a configuration, with its remedies; undefined if it has no danger. */
function dangerOf(config: Config): { readonly danger: string; readonly remedy: string } | undefined {
  const isDeveloped = isDevelopment(config)
  if (!isDeveloped && hasPublicKeys(config)) {
    return {
      danger: 'the accounts and validators of this chain have the public keys of the default mnemonic',
      remedy: 'create the chain with a mnemonic of its own (--mnemonic-file)',
    }
  }
  const [open] = openAddresses(config)
  if (!isDeveloped || open === undefined) return undefined
  return {
    danger: `development methods and keys are on for a node that listens on ${open}, which other machines can reach`,
    remedy: 'listen on 127.0.0.1, or turn them off (--no-dev)',
  }
}

/**
 * Throws `failedPrecondition` if others know the keys of a chain that is no development chain, or can reach development
 * methods. If the operator accepts it by `node.insecure_keys`, it returns a warning instead.
 */
export function requireSafeKeys(config: Config): string | undefined {
  const found = dangerOf(config)
  if (!found) return undefined
  const { danger, remedy } = found
  if (!config.node.insecureKeys) {
    throw queryError('failedPrecondition', `${danger}: ${remedy}, or accept it with --insecure-keys`)
  }
  return `INSECURE: ${danger}. Any client of this node can take its funds and stop its chain`
}

/** Logs a warning for each file of a home that contains a key or a mnemonic and that other users can read. */
export function warnOfReadableKeys(paths: HomePaths, files: Files, log: Log): void {
  for (const path of secretFiles(paths, files)) {
    if (!files.isPrivate(path))
      log('warn', 'other users can read a file with keys: chmod 600 protects it', { file: path })
  }
}
