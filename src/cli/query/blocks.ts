/** `query tx`, `txs`, `wait-tx`, `block`, `account`: queries that the family's tool has outside of modules. */
import type { Command } from 'commander'
import { queryError } from '../../primitives/errors.ts'
import { addNodeOptions, addReadOptions, openNode, type ReadFlags } from '../client.ts'
import { formatOutput, parseOutputFormat } from '../output.ts'
import type { Terminal } from '../terminal.ts'
import { parseUint } from '../tx/account.ts'
import { outcomeOf, parseTimeout, waitForTx } from '../tx/outcome.ts'

const HASH = /^(0x)?[0-9a-fA-F]{64}$/

function requireHash(text: string): string {
  if (!HASH.test(text))
    throw queryError('invalidArgument', `${text}: must be the hash of a transaction, 64 hexadecimal digits`)
  return text.replace(/^0x/, '').toUpperCase()
}

/** Adds the flags and the action of a command that shows one answer. */
function addRead<Flags extends ReadFlags>(
  command: Command,
  terminal: Terminal,
  pathOf: (args: readonly string[], flags: Flags) => string,
): Command {
  return addReadOptions(command).action(async () => {
    const flags = command.opts<Flags>()
    const format = parseOutputFormat(flags.output)
    const path = pathOf(command.args, flags)
    terminal.print(formatOutput(await openNode(flags).get(path, { height: flags.height }), format))
  })
}

interface SearchFlags extends ReadFlags {
  readonly query?: string
  readonly events?: string
  readonly page: string
  readonly limit: string
  readonly orderBy?: string
}

/** Returns the search of `--query`, or of `--events` in the older form `message.sender=ADDR&message.action=/TYPE`. */
function searchOf({ query, events }: SearchFlags): string {
  if (query !== undefined) return query
  if (events === undefined)
    throw queryError('invalidArgument', `--query is missing, such as "message.sender='ADDRESS'"`)
  const parts = events.split('&').map((part) => {
    const [, key, value] = /^([^=<>]+)=(.*)$/.exec(part.trim()) ?? []
    if (key === undefined || value === undefined)
      throw queryError('invalidArgument', `--events ${part}: must be TYPE.ATTRIBUTE=VALUE, joined by &`)
    const plain = value.replace(/^'(.*)'$/, '$1')
    return key === 'tx.height' ? `${key}=${plain}` : `${key}='${plain}'`
  })
  return parts.join(' AND ')
}

const ORDERS: Readonly<Record<string, string>> = { asc: 'ORDER_BY_ASC', desc: 'ORDER_BY_DESC' }

/** Returns the query string of a search. */
function searchPath(path: string, flags: SearchFlags): string {
  const values = new URLSearchParams({ query: searchOf(flags) })
  values.set('page', parseUint('--page', flags.page).toString())
  values.set('limit', parseUint('--limit', flags.limit).toString())
  const { orderBy } = flags
  if (orderBy !== undefined && orderBy !== '') {
    const order = ORDERS[orderBy]
    if (order === undefined) throw queryError('invalidArgument', `--order_by ${orderBy}: must be asc or desc`)
    values.set('order_by', order)
  }
  return `${path}?${values}`
}

function addSearchOptions(command: Command): Command {
  return command
    .option('--query <query>', `events that must be there, such as "message.sender='ADDRESS' AND tx.height>5"`)
    .option('--events <events>', 'the same in the older form: message.sender=ADDRESS&message.action=TYPE')
    .option('--page <number>', 'page of the results', '1')
    .option('--limit <number>', 'results on a page', '30')
    .option('--order-by <order>', 'asc or desc, by height (default: asc)')
}

/** Events that lead to a transaction, by the value of `--type`. */
const LOOKUPS: Readonly<Record<string, (text: string) => string>> = {
  acc_seq(text) {
    if (!/^[a-z0-9]+\/\d{1,20}$/.test(text))
      throw queryError('invalidArgument', `${text}: must be ADDRESS/SEQUENCE, such as chain1…/7`)
    return `tx.acc_seq='${text}'`
  },
  signature(text) {
    const signatures = text.split(',')
    if (!signatures.every((one) => /^[A-Za-z0-9+/]+={0,2}$/.test(one)))
      throw queryError('invalidArgument', `${text}: must be signatures in base64, separated by commas`)
    return signatures.map((one) => `tx.signature='${one}'`).join(' AND ')
  },
}

/** Shows the one transaction that a search finds. Throws `notFound` for none. */
async function findTx(text: string, flags: ReadFlags & { readonly type: string }, terminal: Terminal): Promise<void> {
  const search = LOOKUPS[flags.type]
  if (!search) throw queryError('invalidArgument', `--type ${flags.type}: must be hash, acc_seq or signature`)
  const values = new URLSearchParams({ query: search(text), limit: '2' })
  const answer = await openNode(flags).get(`/cosmos/tx/v1beta1/txs?${values}`, { height: flags.height })
  const { tx_responses: found } = answer as { readonly tx_responses: readonly { readonly txhash: string }[] }
  if (found.length === 0) throw queryError('notFound', `no transaction with --type ${flags.type} ${text}`)
  if (found.length > 1)
    throw queryError('failedPrecondition', `several transactions with --type ${flags.type} ${text}: use query txs`)
  const path = `/cosmos/tx/v1beta1/txs/${found[0]!.txhash}`
  terminal.print(formatOutput(await openNode(flags).get(path), parseOutputFormat(flags.output)))
}

/** Adds `query tx HASH` to the operations of the service of that name. */
export function addTxLookup(parent: Command, terminal: Terminal): void {
  parent.description('Show a transaction: query tx HASH, or as --type says')
  parent.argument('[id]', 'hash of the transaction, ADDRESS/SEQUENCE, or signatures in base64 separated by commas')
  parent.option('--type <type>', 'what names it: hash, acc_seq or signature', 'hash')
  parent.enablePositionalOptions()
  addReadOptions(parent).action(async () => {
    const flags = parent.opts<ReadFlags & { type: string }>()
    const [id] = parent.args
    if (id === undefined) parent.help({ error: true })
    if (flags.type !== 'hash') return findTx(id!, flags, terminal)
    const path = `/cosmos/tx/v1beta1/txs/${requireHash(id!)}`
    const answer = await openNode(flags).get(path, { height: flags.height })
    terminal.print(formatOutput(answer, parseOutputFormat(flags.output)))
  })
}

/** Adds `query distribution rewards DELEGATOR [VALIDATOR]`: the total, or that of one delegation. */
export function addRewardsQuery(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('rewards <delegator-address> [validator-address]')
    .description('Query the rewards of a delegator, in total or from one validator')
  addRead(command, terminal, ([delegator = '', validator]) => {
    const path = `/cosmos/distribution/v1beta1/delegators/${encodeURIComponent(delegator)}/rewards`
    return validator === undefined ? path : `${path}/${encodeURIComponent(validator)}`
  })
}

/** Adds `query gov params [TYPE]`: without a type all of them. */
export function addParamsQuery(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('params [params-type]')
    .alias('param')
    .description('Query the parameters of governance; type: voting, deposit or tallying (default: all)')
  addRead(command, terminal, ([type = 'voting']) => `/cosmos/gov/v1/params/${encodeURIComponent(type)}`)
}

/** Adds the commands outside of modules. */
export function addBlockQueries(program: Command, terminal: Terminal): void {
  const txs = program.command('txs').description('Search transactions by their events')
  addRead<SearchFlags>(addSearchOptions(txs), terminal, (_, flags) => searchPath('/cosmos/tx/v1beta1/txs', flags))

  const block = program
    .command('block [height]')
    .description('Show a block (default: the latest)')
    .option('--type <type>', 'accepted for scripts: height', 'height')
  addRead<ReadFlags & { type: string }>(block, terminal, ([height], { type }) => {
    if (type !== 'height')
      throw queryError('invalidArgument', `--type ${type}: must be height; the CometBFT RPC has block_by_hash`)
    const at = height === undefined ? 'latest' : parseUint('height', height).toString()
    return `/cosmos/base/tendermint/v1beta1/blocks/${at}`
  })

  const validators = program
    .command('comet-validator-set [height]')
    .alias('tendermint-validator-set')
    .description('Show the validators of a height (default: the latest)')
  addRead(validators, terminal, ([height]) => {
    const at = height === undefined ? 'latest' : parseUint('height', height).toString()
    return `/cosmos/base/tendermint/v1beta1/validatorsets/${at}`
  })

  const account = program.command('account <address>').description('Show an account by its address')
  addRead(account, terminal, ([address = '']) => `/cosmos/auth/v1beta1/accounts/${encodeURIComponent(address)}`)

  const wait = program
    .command('wait-tx <hash>')
    .alias('event-query-tx-for')
    .description('Wait until a block contains a transaction, and show what became of it')
    .option('--timeout <time>', 'longest time to wait, such as 15s or 2m', '15s')
    .option('--home <dir>', 'home of the node (default: ALMANAC_HOME, or ~/.almanac)')
    .option('-o, --output <format>', 'output format: yaml or json', 'yaml')
  addNodeOptions(wait).action(async (hash: string) => {
    const flags = wait.opts<ReadFlags & { timeout: string }>()
    const format = parseOutputFormat(flags.output)
    const timeout = parseTimeout('--timeout', flags.timeout)
    const found = await waitForTx(openNode(flags), requireHash(hash), timeout)
    terminal.print(formatOutput(outcomeOf(found, format), format))
    if (found.code !== 0)
      throw queryError('failedPrecondition', `the transaction failed in block ${found.height}: ${found.raw_log.trim()}`)
  })
}
