/** `almanac tx gov submit-legacy-proposal`: proposals of the old form, a content in place of messages (upgrade.md §9.2). */
import type { JsonObject } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { MsgSubmitProposalSchema } from '../gen/sdk/gov/v1beta1/tx_pb.ts'
import { queryError } from '../primitives/errors.ts'
import { readLegacyProposal, readLegacyProposalFile } from './proposal-file.ts'
import { addTxOptions, type Sender, sendTx, type TxFlags, type TypedMessage } from './send-tx.ts'
import type { Terminal } from './terminal.ts'
import { parseCoins, textOf } from './tx-gov.ts'
import { addPlanOptions, sendPlan } from './tx-upgrade.ts'

interface Texts {
  readonly title: string
  readonly description: string
  readonly deposit: string
}

function addTexts(command: Command): Command {
  return command
    .requiredOption('--title <text>', 'title of the proposal')
    .requiredOption('--description <text>', 'what it does and why')
    .option('--deposit <coins>', 'the first deposit, as 10000000unative', '')
}

function proposal(
  sender: Sender,
  typeName: string,
  { title, description, deposit }: Texts,
  content: JsonObject = {},
): readonly TypedMessage[] {
  const message = readLegacyProposal(
    sender.identity,
    typeName,
    { title, description, ...content },
    { deposit: parseCoins('--deposit', deposit), proposer: textOf(sender) },
  )
  return [{ schema: MsgSubmitProposalSchema, message }]
}

/** A text alone, of which the chain carries nothing out. */
function addText(parent: Command, terminal: Terminal): void {
  const command = addTxOptions(parent.command('text', { isDefault: true }))
    .description('a text to vote on, from flags or a JSON file {type, title, description, deposit}')
    .option('--proposal <file>', 'file with what no flag says')
    .option('--type <type>', 'Text; upgrades have commands of their own')
    .option('--title <text>', 'title of the proposal')
    .option('--description <text>', 'what it is about')
    .option('--deposit <coins>', 'the first deposit, as 10000000unative')
  command.action(() => {
    const {
      proposal: file,
      type,
      title,
      description,
      deposit,
    } = command.opts<Partial<Texts> & Record<string, string>>()
    const given = Object.entries({ type, title, description, deposit }).filter(([, value]) => value !== undefined)
    const texts = {
      ...{ type: 'Text', title: '', description: '', deposit: '' },
      ...(file !== undefined && readLegacyProposalFile(file)),
      ...(Object.fromEntries(given) as Partial<Texts>),
    }
    if (texts.type.toLowerCase() !== 'text') {
      throw queryError(
        'invalidArgument',
        `--type ${texts.type}: must be Text; upgrades are proposed by \`software-upgrade\` and ` +
          '`cancel-software-upgrade`, all else by `submit-proposal FILE`',
      )
    }
    return sendTx(command.opts<TxFlags>(), terminal, (sender) =>
      proposal(sender, 'sdk.gov.v1beta1.TextProposal', texts),
    )
  })
}

/** Adds `submit-legacy-proposal` with a command for each kind of content that the chain carries out. */
export function addLegacyProposals(parent: Command, terminal: Terminal): void {
  const kinds = parent
    .command('submit-legacy-proposal')
    .description('propose in the old form, which explorers show as content')
  addText(kinds, terminal)
  const plan = addPlanOptions(addTxOptions(addTexts(kinds.command('software-upgrade')))).description(
    'propose that every node runs the upgrade of this name at a height',
  )
  plan.action((name: string) =>
    sendPlan(name, plan, terminal, (sender, fields) =>
      proposal(sender, 'sdk.upgrade.v1beta1.SoftwareUpgradeProposal', plan.opts<Texts>(), { plan: fields }),
    ),
  )
  const cancel = addTxOptions(addTexts(kinds.command('cancel-software-upgrade'))).description(
    'propose to drop the plan that is scheduled when the vote ends',
  )
  cancel.action(() =>
    sendTx(cancel.opts<TxFlags>(), terminal, (sender) =>
      proposal(sender, 'sdk.upgrade.v1beta1.CancelSoftwareUpgradeProposal', cancel.opts<Texts>()),
    ),
  )
}
