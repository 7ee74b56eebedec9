/** `almanac tx gov`: proposals from files, votes and deposits by word, beside the commands of the descriptors. */
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
import { addTxOptions, parseUint, type Sender, sendTx, type TxFlags, type TypedMessage } from './send-tx.ts'
import type { Terminal } from './terminal.ts'

const WORDS = VoteOptionSchema.values
  .filter(({ number }) => number > 0)
  .map(({ name, number }) => ({ word: name.replace('VOTE_OPTION_', '').toLowerCase(), number: number as VoteOption }))

const WORD_LIST = WORDS.map(({ word }) => word).join(', ')

/** `yes`, `no_with_veto`, `no-with-veto`, `VOTE_OPTION_YES`. */
function parseOption(text: string): VoteOption {
  const wanted = text
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^vote_option_/, '')
  const found = WORDS.find(({ word }) => word === wanted)
  if (!found) throw queryError('invalidArgument', `${text} is no option; options are ${WORD_LIST}`)
  return found.number
}

/** `yes=0.6,no=0.4`. Whether the weights are right is the chain's to say. */
function parseOptions(text: string): { option: VoteOption; weight: string }[] {
  return text.split(',').map((part) => {
    const [option = '', weight] = part.trim().split('=')
    if (weight === undefined)
      throw queryError('invalidArgument', `${part}: not an option with a weight such as yes=0.6`)
    return { option: parseOption(option), weight }
  })
}

/** Coins of a flag, which none is as well. Throws 3 for what are no coins. */
export function parseCoins(flag: string, text: string) {
  const coins = tryParseText(text)
  if (!coins) throw queryError('invalidArgument', `${flag} ${text}: not coins such as 10000000unative`)
  return coins.map(toText)
}

function message<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): readonly TypedMessage[] {
  return [{ schema, message: create(schema, init) }]
}

/** The address of who sends, as text. */
export const textOf = ({ identity, address }: Sender): string => formatBech32(identity.bech32.account, address)

interface Texts {
  readonly title?: string
  readonly summary?: string
  readonly metadata?: string
  readonly deposit?: string
}

/** Flags of a proposal's texts and deposit; each stands in place of what a file says. */
export function addProposalOptions(command: Command): Command {
  return command
    .option('--title <text>', 'title of the proposal')
    .option('--summary <text>', 'what it does and why')
    .option('--metadata <text>', 'where more is to be read')
    .option('--deposit <coins>', 'the first deposit, as 10000000unative')
}

/** A proposal of messages that governance shall send. Throws 3 for coins that are none. */
export function proposalMessage(sender: Sender, proposal: ProposalFile): readonly TypedMessage[] {
  const { messages, title, summary, metadata, deposit } = proposal
  return message(MsgSubmitProposalSchema, {
    messages: readMessages(sender.identity, messages),
    initialDeposit: parseCoins('--deposit', deposit),
    proposer: textOf(sender),
    ...{ title, summary, metadata },
  })
}

/** `submit-proposal FILE`; other kinds of proposals are commands beside the file. */
function addSubmitProposal(parent: Command, terminal: Terminal): void {
  const kinds = parent.command('submit-proposal').description('propose: what a file says, or an upgrade')
  const command = addTxOptions(addProposalOptions(kinds.command('file', { isDefault: true })))
    .description('what a JSON file says: {messages, metadata, deposit, title, summary}')
    .argument('<file>', 'as `draft-proposal TYPE` prints it')
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
    .description('print a file for submit-proposal to fill in')
    .argument('[type]', 'type of the message, such as sdk.consensus.v1.MsgUpdateParams')
    .option('--home <dir>', 'home whose settings name the profile')
    .option('--profile <name>', 'names of the chain')
  command.action((type: string | undefined) => {
    terminal.print(JSON.stringify(draftProposal(identityOfFlags(command.opts()), type), null, 2))
  })
}

/** The chain says in few words that it is not the time for a vote or a deposit; this adds when it is. */
async function inItsTime(id: string, sending: Promise<void>): Promise<void> {
  try {
    await sending
  } catch (error) {
    if (error instanceof Error && error.message.includes('inactive proposal')) {
      error.message =
        `${error.message.trimEnd()}; deposits are taken until the vote ends, votes from the full deposit until then: ` +
        `\`almanac query gov proposal ${id}\` says when that is`
    }
    throw error
  }
}

function addVotes(parent: Command, terminal: Terminal): void {
  const vote = addTxOptions(parent.command('vote'))
    .description('vote on a proposal')
    .argument('<proposal-id>')
    .argument('<option>', WORD_LIST)
    .option('--metadata <text>', 'why', '')
  vote.action((id: string, option: string) =>
    inItsTime(
      id,
      sendTx(vote.opts<TxFlags>(), terminal, (sender) =>
        message(MsgVoteSchema, {
          proposalId: parseUint('proposal-id', id),
          voter: textOf(sender),
          option: parseOption(option),
          metadata: vote.opts<{ metadata: string }>().metadata,
        }),
      ),
    ),
  )
  const weighted = addTxOptions(parent.command('weighted-vote'))
    .description('vote on a proposal in parts')
    .argument('<proposal-id>')
    .argument('<options>', 'parts that add up to 1, as yes=0.6,no=0.4')
    .option('--metadata <text>', 'why', '')
  weighted.action((id: string, options: string) =>
    inItsTime(
      id,
      sendTx(weighted.opts<TxFlags>(), terminal, (sender) =>
        message(MsgVoteWeightedSchema, {
          proposalId: parseUint('proposal-id', id),
          voter: textOf(sender),
          options: parseOptions(options),
          metadata: weighted.opts<{ metadata: string }>().metadata,
        }),
      ),
    ),
  )
}

function addDeposit(parent: Command, terminal: Terminal): void {
  const command = addTxOptions(parent.command('deposit'))
    .description('add to the deposit of a proposal')
    .argument('<proposal-id>')
    .argument('<coins>', 'as 10000000unative')
  command.action((id: string, coins: string) =>
    inItsTime(
      id,
      sendTx(command.opts<TxFlags>(), terminal, (sender) =>
        message(MsgDepositSchema, {
          proposalId: parseUint('proposal-id', id),
          depositor: textOf(sender),
          amount: parseCoins('deposit', coins),
        }),
      ),
    ),
  )
}

/** The commands under `tx gov` that take words instead of flags; what the descriptors offer under another name stays. */
export function addGovCommands(parent: Command, terminal: Terminal): void {
  addSubmitProposal(parent, terminal)
  addDraftProposal(parent, terminal)
  addVotes(parent, terminal)
  addDeposit(parent, terminal)
}
