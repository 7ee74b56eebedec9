/** Checks at the start that no key which others know, or can read, guards more than a development chain of this machine. */
import { isLoopback } from '../api/transport/local-access.ts'
import type { GenesisDocument } from '../app/types.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32 } from '../primitives/address.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { deriveAccounts } from './accounts.ts'
import type { Files } from './files.ts'
import { isDevelopment } from './gateway-node.ts'
import type { HomePaths } from './home-paths.ts'
import { secretFiles } from './home-record.ts'
import type { Log } from './log.ts'
import { TEST_MNEMONIC } from './settings/chain.ts'
import { type Config, hasPublicKeys } from './settings.ts'
import { derivedValidatorKey } from './validator-key.ts'

/** Returns the addresses of enabled gateways that other machines can reach. */
function openAddresses({ rest, grpc, jsonrpc, comet }: Config): string[] {
  return [rest, grpc, jsonrpc, comet].flatMap(({ enabled, host }) => (enabled && !isLoopback(host) ? [host] : []))
}

/** A danger of a chain, and what prevents it. */
interface Danger {
  readonly danger: string
  readonly remedy: string
}

/** Returns the danger of a configuration; undefined if it has no danger. */
function dangerOf(config: Config): Danger | undefined {
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
    remedy: 'listen on 127.0.0.1, or turn them off (almanac start --no-dev)',
  }
}

/** Accounts of the default mnemonic that a document is searched for, at each of the two paths. */
const SEARCHED_ACCOUNTS = 20

/** The default mnemonic's keys in a genesis document. */
interface PublicKeys {
  /** Whether one of them operates a validator or signs its blocks. */
  readonly isValidator: boolean
  /** Funded accounts among them. */
  readonly funded: number
}

/** Returns the objects of a list in a section of a document; none if the document has another shape. */
function listOf(section: unknown, name: string): readonly Record<string, unknown>[] {
  const list = (section as Record<string, unknown> | undefined)?.[name]
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}

/** Finds keys of the default mnemonic in a document. */
function publicKeysIn({ chain_id, app_state }: GenesisDocument, { bech32 }: Pick<Identity, 'bech32'>): PublicKeys {
  const accounts = deriveAccounts(TEST_MNEMONIC, SEARCHED_ACCOUNTS, { bech32 })
  const operators = new Set(accounts.map(({ addressBytes }) => formatBech32(bech32.validator, addressBytes)))
  const signers = new Set(
    Array.from({ length: SEARCHED_ACCOUNTS }, (_, i) =>
      formatBase64(derivedValidatorKey(TEST_MNEMONIC, chain_id, i).publicKey),
    ),
  )
  const created = listOf(app_state['genutil'], 'gen_txs').flatMap(({ body }) => listOf(body, 'messages'))
  const isValidator = [...listOf(app_state['staking'], 'validators'), ...created].some((validator) => {
    const key = (validator['consensus_pubkey'] ?? validator['pubkey']) as { readonly key?: unknown } | undefined
    const operator = validator['operator_address'] ?? validator['validator_address']
    return operators.has(String(operator)) || signers.has(String(key?.key))
  })
  const known = new Set(accounts.map((account) => account.bech32))
  const funded = listOf(app_state['bank'], 'balances').filter(({ address }) => known.has(String(address))).length
  return { isValidator, funded }
}

/**
 * Returns a warning if keys of the default mnemonic own funds or a validator of a chain from a genesis document. Throws
 * `failedPrecondition` if they own a validator and other machines reach the node, unless the operator accepts it by
 * `node.insecure_keys`. On this machine such a chain starts, since the export of a localnet is one.
 */
export function requireSafeDocument(
  config: Config,
  genesis: GenesisDocument,
  identity: Pick<Identity, 'bech32'>,
): string | undefined {
  // The keys of a followed chain are not this node's.
  if (config.chain.genesis === '' || config.consensus.engine === 'follow') return undefined
  const { isValidator, funded } = publicKeysIn(genesis, identity)
  if (!isValidator && funded === 0) return undefined
  const owned = [
    ...(isValidator ? ['a validator'] : []),
    ...(funded > 0 ? [`${funded} funded account${funded === 1 ? '' : 's'}`] : []),
  ]
  const danger = `the genesis document gives ${owned.join(' and ')} the public keys of the default mnemonic`
  const [open] = openAddresses(config)
  if (isValidator && open !== undefined && !config.node.insecureKeys) {
    const remedy = `replace them in the document, or listen on 127.0.0.1 instead of ${open}`
    throw queryError('failedPrecondition', `${danger}: ${remedy}, or accept it with --insecure-keys`)
  }
  return `INSECURE: ${danger}. ${CONSEQUENCE}`
}

const CONSEQUENCE = 'Any client of this node can take its funds and stop its chain'

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
  return `INSECURE: ${danger}. ${CONSEQUENCE}`
}

/** Logs a warning for each file of a home that contains a key or a mnemonic and that other users can read. */
export function warnOfReadableKeys(paths: HomePaths, files: Files, log: Log): void {
  for (const path of secretFiles(paths, files)) {
    if (!files.isPrivate(path))
      log('warn', 'other users can read a file with keys: chmod 600 protects it', { file: path })
  }
}
