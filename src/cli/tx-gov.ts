/**
 * `almanac tx gov`: proposals from files, and votes and deposits with positional arguments, beside the commands of the
 * descriptors.
 */
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { type VoteOption, VoteOptionSchema } from '../gen/sdk/gov/v1/gov_pb.ts'
import {
  MsgDepositSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../gen/sdk/gov/v1/tx_pb.ts'
import { formatBech32 } from '../primitives/address.ts'
import { toText, tryParseText } from '../primitives/coin.ts'
import { queryError } from '../primitives/errors.ts'
import { identityOfFlags } from './profile.ts'
import { draftProposal, type ProposalFile, readMessages, readProposalFile } from './proposal-file.ts'
import { addTxOptions, type Sender, sendTx, type TxFlags, type TypedMessage } from './send-tx.ts'
import type { Terminal } from './terminal.ts'
import { parseUint } from './tx/account.ts'

const VOTE_OPTIONS = VoteOptionSchema.values
  .filter(({ number }) => number > 0)
  .map(({ name, number }) => ({ word: name.replace('VOTE_OPTION_', '').toLowerCase(), number: number as VoteOption }))

const VOTE_OPTION_LIST = VOTE_OPTIONS.map(({ word }) => word).join(', ')

/**
 * Parses a vote option: `yes`, `no_with_veto`, `no-with-veto` or `VOTE_OPTION_YES`. Throws `invalidArgument` for any other
 * text.
 */
function parseOption(text: string): VoteOption {
  const normalized = text
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^vote_option_/, '')
  const found = VOTE_OPTIONS.find(({ word }) => word === normalized)
  if (!found) throw queryError('invalidArgument', `vote option ${text}: must be one of ${VOTE_OPTION_LIST}`)
  return found.number
}

/** Parses weighted vote options such as `yes=0.6,no=0.4`. The chain checks the weights. */
function parseOptions(text: string): { option: VoteOption; weight: string }[] {
  return text.split(',').map((part) => {
    const [option = '', weight] = part.trim().split('=')
    if (weight === undefined)
      throw queryError('invalidArgument', `vote option ${part}: must have a weight, such as yes=0.6`)
    return { option: parseOption(option), weight }
  })
}

/** Parses the coins of a flag; an empty text is no coins. Throws `invalidArgument` for invalid coins. */
export function parseCoins(flag: string, text: string) {
  const coins = tryParseText(text)
  if (!coins) throw queryError('invalidArgument', `${flag} ${text}: must be coins such as 10000000unative`)
  return coins.map(toText)
}

function message<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): readonly TypedMessage[] {
  return [{ schema, message: create(schema, init) }]
}

/** Returns the sender's address in Bech32. */
export const senderAddress = ({ identity, address }: Sender): string => formatBech32(identity.bech32.account, address)

interface Texts {
  readonly title?: string
  readonly summary?: string
  readonly metadata?: string
  readonly deposit?: string
}

/** Adds the flags for texts and deposit of a proposal. Each overrides the field of a file. */
export function addProposalOptions(command: Command): Command {
  return command
    .option('--title <text>', 'title of the proposal')
    .option('--summary <text>', 'effect and reason of the proposal')
    .option('--metadata <text>', 'link to more information')
    .option('--deposit <coins>', 'initial deposit, such as 10000000unative (default: none)')
}

/** Makes a proposal of messages that governance sends. Throws `invalidArgument` for invalid messages or coins. */
export function proposalMessage(sender: Sender, proposal: ProposalFile): readonly TypedMessage[] {
  const { messages, title, summary, metadata, deposit } = proposal
  return message(MsgSubmitProposalSchema, {
    messages: readMessages(sender.identity, messages),
    initialDeposit: parseCoins('--deposit', deposit),
    proposer: senderAddress(sender),
    ...{ title, summary, metadata },
  })
}

/** Adds `submit-proposal FILE`. Other kinds of proposals are subcommands. */
function addSubmitProposal(parent: Command, terminal: Terminal): void {
  const kinds = parent.command('submit-proposal').description('Submit a proposal from a file, or of an upgrade')
  const command = addTxOptions(addProposalOptions(kinds.command('file', { isDefault: true })))
    .description('Submit the proposal in a JSON file {messages, metadata, deposit, title, summary}')
    .argument('<file>', 'JSON file, as `draft-proposal TYPE` prints it')
  command.action((file: string) => {
    const { title, summary, metadata, deposit } = command.opts<Texts>()
    const given = Object.entries({ title, summary, metadata, deposit }).filter(([, value]) => value !== undefined)
    const proposal = { ...readProposalFile(file), ...Object.fromEntries(given) }
    return sendTx(command.opts<TxFlags>(), terminal, (sender) => proposalMessage(sender, proposal))
  })
}

function addDraftProposal(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('draft-proposal')
    .description('Print a proposal file to fill in for submit-proposal')
    .argument('[type]', 'type of the message, such as sdk.consensus.v1.MsgUpdateParams')
    .option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
    .option('--profile <name>', 'profile for names and address prefixes (default: that of the chain in the home)')
  command.action((type: string | undefined) => {
    terminal.print(JSON.stringify(draftProposal(identityOfFlags(command.opts()), type), null, 2))
  })
}

/** Appends to the chain's error `inactive proposal` when it accepts votes and deposits. */
async function explainInactive(id: string, sending: Promise<void>): Promise<void> {
  try {
    await sending
  } catch (error) {
    if (error instanceof Error && error.message.includes('inactive proposal')) {
      error.message =
        `${error.message.trimEnd()}; a proposal accepts deposits until the vote ends, and votes during the ` +
        `voting period: \`almanac query gov proposal ${id}\` shows the times`
    }
    throw error
  }
}

function addVotes(parent: Command, terminal: Terminal): void {
  const vote = addTxOptions(parent.command('vote'))
    .description('Vote on a proposal')
    .argument('<proposal-id>', 'id of the proposal')
    .argument('<option>', `vote option: ${VOTE_OPTION_LIST}`)
    .option('--metadata <text>', 'reason of the vote', '')
  vote.action((id: string, option: string) =>
    explainInactive(
      id,
      sendTx(vote.opts<TxFlags>(), terminal, (sender) =>
        message(MsgVoteSchema, {
          proposalId: parseUint('proposal-id', id),
          voter: senderAddress(sender),
          option: parseOption(option),
          metadata: vote.opts<{ metadata: string }>().metadata,
        }),
      ),
    ),
  )
  const weighted = addTxOptions(parent.command('weighted-vote'))
    .description('Vote on a proposal with several weighted options')
    .argument('<proposal-id>', 'id of the proposal')
    .argument('<options>', 'options with weights that add up to 1, such as yes=0.6,no=0.4')
    .option('--metadata <text>', 'reason of the vote', '')
  weighted.action((id: string, options: string) =>
    explainInactive(
      id,
      sendTx(weighted.opts<TxFlags>(), terminal, (sender) =>
        message(MsgVoteWeightedSchema, {
          proposalId: parseUint('proposal-id', id),
          voter: senderAddress(sender),
          options: parseOptions(options),
          metadata: weighted.opts<{ metadata: string }>().metadata,
        }),
      ),
    ),
  )
}

function addDeposit(parent: Command, terminal: Terminal): void {
  const command = addTxOptions(parent.command('deposit'))
    .description('Add to the deposit of a proposal')
    .argument('<proposal-id>', 'id of the proposal')
    .argument('<coins>', 'coins to deposit, such as 10000000unative')
  command.action((id: string, coins: string) =>
    explainInactive(
      id,
      sendTx(command.opts<TxFlags>(), terminal, (sender) =>
        message(MsgDepositSchema, {
          proposalId: parseUint('proposal-id', id),
          depositor: senderAddress(sender),
          amount: parseCoins('coins', coins),
        }),
      ),
    ),
  )
}

/** Adds the commands with positional arguments to `tx gov`. Those of the descriptors under other names stay. */
export function addGovCommands(parent: Command, terminal: Terminal): void {
  addSubmitProposal(parent, terminal)
  addDraftProposal(parent, terminal)
  addVotes(parent, terminal)
  addDeposit(parent, terminal)
}
