/**
 * `tx gov submit-proposal software-upgrade NAME` and `cancel-software-upgrade`: proposals of upgrades
 * (docs/upgrades.md#the-vote).
 */
import { type Command, InvalidArgumentError } from 'commander'
import { NS_PER_SECOND, parseDuration } from '../primitives/time.ts'
import type { NodeClient } from './client.ts'
import { checkPlanInfo } from './plan-info.ts'
import { authorityOf } from './proposal-file.ts'
import { addTxOptions, type Sender, sendTx, type TxFlags, type TypedMessage } from './send-tx.ts'
import type { Terminal } from './terminal.ts'
import { addProposalOptions, proposalMessage } from './tx-gov.ts'

interface ProposalFlags {
  readonly title?: string
  readonly summary?: string
  readonly metadata?: string
  readonly deposit?: string
  readonly authority?: string
}

interface PlanFlags {
  readonly upgradeHeight: bigint
  readonly upgradeInfo: string
  readonly validate: boolean
  readonly download: boolean
  readonly checksumRequired: boolean
  readonly safetyDelta: number
  readonly daemonName: string
}

/** Adds the name of a plan as an argument, and flags for its other fields and their checks. */
export function addPlanOptions(command: Command): Command {
  return command
    .argument('<name>', 'name of the upgrade, which selects the handler in each build')
    .requiredOption('--upgrade-height <height>', 'height of the first block that needs the upgrade', parseHeight)
    .option('--upgrade-info <text>', 'JSON, or URL of JSON, with the builds for supervisors to download', '')
    .option('--no-validate', 'do not check --upgrade-info')
    .option('--no-download', 'do not download and check the builds in --upgrade-info')
    .option('--no-checksum-required', 'accept URLs without a checksum in --upgrade-info')
    .option(
      '--daemon-name <name>',
      'name of the program in the archives (DAEMON_NAME)',
      process.env['DAEMON_NAME'] ?? 'almanac',
    )
    .option(
      '--safety-delta <seconds>',
      'time to detect a problem and propose to cancel, in seconds; a nearer height prints a warning',
      parseSeconds,
      86_400,
    )
}

/** Checks the info of a plan, warns about a height that is too near, and sends the messages made from the plan. */
export async function sendPlan(
  name: string,
  command: Command,
  terminal: Terminal,
  messagesOf: (sender: Sender, plan: { readonly [key: string]: string }) => readonly TypedMessage[],
): Promise<void> {
  const flags = command.opts<PlanFlags & TxFlags>()
  const { upgradeHeight, upgradeInfo, validate, checksumRequired, download, daemonName, safetyDelta } = flags
  const checks = { checksums: checksumRequired, downloads: download, program: daemonName }
  if (validate) await checkInfo(upgradeInfo, checks)
  await sendTx(flags, terminal, async (sender) => {
    const warning = await warnAboutHeight(sender.node, upgradeHeight, safetyDelta)
    if (warning !== undefined) terminal.note(warning)
    return messagesOf(sender, { name, height: upgradeHeight.toString(), info: upgradeInfo })
  })
}

/** Adds both commands to another, such as `tx gov submit-proposal`. */
export function addUpgradeProposals(parent: Command, terminal: Terminal): void {
  const command = addPlanOptions(addTxOptions(addProposalOptions(parent.command('software-upgrade'))))
    .description('Propose an upgrade at a height')
    .option('--authority <address>', 'account that signs the plan (default: governance)')
  command.action((name: string) =>
    sendPlan(name, command, terminal, (sender, plan) =>
      proposal(
        sender,
        command.opts<ProposalFlags>(),
        `Upgrade ${name}`,
        `Run the upgrade ${name} at height ${plan['height']}`,
        { '@type': `/${sender.identity.toProfileName('sdk.upgrade.v1beta1.MsgSoftwareUpgrade')}`, plan },
      ),
    ),
  )
  const cancel = addTxOptions(addProposalOptions(parent.command('cancel-software-upgrade')))
    .description('Propose to cancel the upgrade that is scheduled when the vote ends')
    .option('--authority <address>', 'account that signs the cancellation (default: governance)')
  cancel.action(() => {
    const flags = cancel.opts<ProposalFlags & TxFlags>()
    return sendTx(flags, terminal, (sender) =>
      proposal(sender, flags, 'Cancel the upgrade', 'Drop the plan that is scheduled', {
        '@type': `/${sender.identity.toProfileName('sdk.upgrade.v1beta1.MsgCancelUpgrade')}`,
      }),
    )
  })
}

async function checkInfo(info: string, checks: Parameters<typeof checkPlanInfo>[1]): Promise<void> {
  try {
    await checkPlanInfo(info, checks)
  } catch (error) {
    ;(error as Error).message += '; fix --upgrade-info, or skip the check with --no-validate'
    throw error
  }
}

function proposal(
  sender: Sender,
  flags: ProposalFlags,
  title: string,
  summary: string,
  message: { readonly [key: string]: string | object },
) {
  const authority = flags.authority ?? authorityOf(sender.identity)
  return proposalMessage(sender, {
    messages: [JSON.parse(JSON.stringify({ ...message, authority }))],
    title: flags.title ?? title,
    summary: flags.summary ?? summary,
    metadata: flags.metadata ?? '',
    deposit: flags.deposit ?? '',
  })
}

function parseHeight(text: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw new InvalidArgumentError('must be a height such as 123456.')
  return BigInt(text)
}

function parseSeconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be whole seconds.')
  return Number(text)
}

interface Block {
  readonly block: { readonly header: { readonly height: string; readonly time: string } }
}

/** Number of blocks over which the average block time is measured. */
const MEASURED_BLOCKS = 100n

/**
 * Returns a warning if a plan's height is past when the vote ends, or so near that a later vote could not cancel the plan:
 * within twice the voting and deposit periods plus the safety delta (docs/modules/upgrade.md#formulas). Undefined if it is far
 * enough.
 */
async function warnAboutHeight(node: NodeClient, height: bigint, safetyDelta: number): Promise<string | undefined> {
  const latest = await blockAt(node, 'latest')
  const { params } = (await node.get('/sdk/gov/v1/params/voting')) as {
    readonly params: { readonly voting_period: string; readonly max_deposit_period: string }
  }
  const [voting, deposit] = [secondsOf(params.voting_period), secondsOf(params.max_deposit_period)]
  const seconds = 2 * (voting + deposit) + safetyDelta
  const from = latest.height > MEASURED_BLOCKS ? latest.height - MEASURED_BLOCKS : 1n
  const first = from < latest.height ? await blockAt(node, from.toString()) : latest
  const blocks = Number(latest.height - first.height)
  const blockSeconds = blocks === 0 ? 1 : Math.max((latest.timeMs - first.timeMs) / 1000 / blocks, 0.001)
  const decided = latest.height + safeBlocks(voting, blockSeconds)
  if (height <= latest.height || (blocks > 0 && height <= decided)) {
    return (
      `warning: the chain is at height ${latest.height}, and the vote ends at about ${decided} (${voting} s at ` +
      `${blockSeconds.toFixed(2)} s a block): a plan for height ${height} is in the past by then, and the proposal fails`
    )
  }
  const safe = latest.height + safeBlocks(seconds, blockSeconds)
  if (height >= safe) return undefined
  return (
    `warning: a later vote could not cancel the plan at height ${height}: that takes until height ${safe} ` +
    `(2 × (voting ${voting} s + deposit ${deposit} s) + safety ${safetyDelta} s = ${seconds} s, ` +
    `at ${blockSeconds.toFixed(2)} s a block)`
  )
}

/** Returns the number of blocks in a time, rounded up. */
export function safeBlocks(seconds: number, blockSeconds: number): bigint {
  return BigInt(Math.ceil(seconds / blockSeconds))
}

async function blockAt(
  node: NodeClient,
  height: string,
): Promise<{ readonly height: bigint; readonly timeMs: number }> {
  const { block } = (await node.get(`/sdk/base/tendermint/v1beta1/blocks/${height}`)) as Block
  return { height: BigInt(block.header.height), timeMs: Date.parse(block.header.time) }
}

function secondsOf(duration: string): number {
  return Number(parseDuration(duration) ?? 0n) / Number(NS_PER_SECOND)
}
