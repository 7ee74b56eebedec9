/**
 * `almanac tx gov submit-legacy-proposal`: legacy proposals, which have a content instead of messages
 * (docs/governance.md#a-session).
 */
import type { JsonObject } from '@bufbuild/protobuf'
import { type Command, Option } from 'commander'
import { MsgSubmitProposalSchema } from '../gen/sdk/gov/v1beta1/tx_pb.ts'
import { queryError } from '../primitives/errors.ts'
import { readLegacyProposal, readLegacyProposalFile } from './proposal-file.ts'
import { addTxOptions, type Sender, sendTx, type TxFlags, type TypedMessage } from './send-tx.ts'
import type { Terminal } from './terminal.ts'
import { parseCoins, senderAddress } from './tx-gov.ts'
import { addPlanOptions, sendPlan } from './tx-upgrade.ts'

interface Texts {
  readonly title: string
  readonly description: string
  readonly deposit: string
}

function addTexts(command: Command): Command {
  return command
    .requiredOption('--title <text>', 'title of the proposal')
    .requiredOption('--description <text>', 'effect and reason of the proposal')
    .addOption(new Option('--deposit <coins>', 'initial deposit, such as 10000000unative').default('', 'none'))
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
    { deposit: parseCoins('--deposit', deposit), proposer: senderAddress(sender) },
  )
  return [{ schema: MsgSubmitProposalSchema, message }]
}

/** Adds text proposals, which execute nothing. */
function addTextProposal(parent: Command, terminal: Terminal): void {
  const command = addTxOptions(parent.command('text', { isDefault: true }))
    .description('Propose a text, from flags or a JSON file {type, title, description, deposit}')
    .option('--proposal <file>', 'JSON file with the proposal; flags override its fields')
    .option('--type <type>', 'type of the proposal: Text (default: Text)')
    .option('--title <text>', 'title of the proposal')
    .option('--description <text>', 'text of the proposal')
    .option('--deposit <coins>', 'initial deposit, such as 10000000unative (default: none)')
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
        `--type ${texts.type}: must be Text; propose upgrades with \`software-upgrade\` and ` +
          '`cancel-software-upgrade`, anything else with `submit-proposal FILE`',
      )
    }
    return sendTx(command.opts<TxFlags>(), terminal, (sender) =>
      proposal(sender, 'sdk.gov.v1beta1.TextProposal', texts),
    )
  })
}

/** Adds `submit-legacy-proposal` with a command for each kind of content that the chain executes. */
export function addLegacyProposals(parent: Command, terminal: Terminal): void {
  const kinds = parent
    .command('submit-legacy-proposal')
    .description('Submit a legacy proposal, which explorers show as a content')
  addTextProposal(kinds, terminal)
  const plan = addPlanOptions(addTxOptions(addTexts(kinds.command('software-upgrade')))).description(
    'Propose an upgrade at a height',
  )
  plan.action((name: string) =>
    sendPlan(name, plan, terminal, (sender, fields) =>
      proposal(sender, 'sdk.upgrade.v1beta1.SoftwareUpgradeProposal', plan.opts<Texts>(), { plan: fields }),
    ),
  )
  const cancel = addTxOptions(addTexts(kinds.command('cancel-software-upgrade'))).description(
    'Propose to cancel the upgrade that is scheduled when the vote ends',
  )
  cancel.action(() =>
    sendTx(cancel.opts<TxFlags>(), terminal, (sender) =>
      proposal(sender, 'sdk.upgrade.v1beta1.CancelSoftwareUpgradeProposal', cancel.opts<Texts>()),
    ),
  )
}
