/**
 * `query upgrade plan | applied NAME | module_versions [MODULE]`, in the output formats of the Cosmos SDK
 * (docs/modules/upgrade.md#queries).
 */
import { toBinary } from '@bufbuild/protobuf'
import type { Command } from 'commander'
import { stringify } from 'yaml'
import { readJson } from '../api/json-read.ts'
import { type Block, BlockSchema } from '../gen/tendermint/types/block_pb.ts'
import { queryError } from '../primitives/errors.ts'
import { formatRfc3339Nano, parseRfc3339, ZERO_TIME_NS } from '../primitives/time.ts'
import { addReadOptions, type NodeClient, openNode, type ReadFlags } from './client.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { identityOfFlags } from './profile.ts'
import type { Terminal } from './terminal.ts'

interface Flags extends ReadFlags {
  readonly profile?: string
}

/** Adds the three commands. `module_versions` replaces the command of the operation, which has no filter over REST. */
export function addUpgradeQueries(parent: Command, terminal: Terminal): void {
  const add = (
    word: string,
    about: string,
    run: (node: NodeClient, flags: Flags, name: string | undefined) => Promise<string>,
  ) => {
    const command = addReadOptions(parent.command(word).description(about))
    command.action(async (name: unknown) => {
      const flags = command.opts<Flags>()
      terminal.print(await run(openNode(flags), flags, typeof name === 'string' ? name : undefined))
    })
    return command
  }
  add('plan', 'Show the scheduled upgrade', showPlan)
  add('applied', 'Show the header of the block that applied an upgrade, as JSON', showApplied).argument('<name>')
  add('module-versions', 'Show the consensus versions of the modules', showVersions)
    .alias('module_versions')
    .argument('[module]', 'name of a module (default: all)')
}

async function showPlan(node: NodeClient, { height, output }: Flags): Promise<string> {
  const { plan } = (await node.get('/sdk/upgrade/v1beta1/current_plan', { height })) as { plan: object | null }
  if (!plan) throw queryError('notFound', 'no upgrade scheduled')
  const format = parseOutputFormat(output)
  if (format === 'json') return formatOutput(plan, format)
  const byKey = Object.entries(plan).sort(([a], [b]) => (a < b ? -1 : 1))
  // Version 1.1 quotes the time, which a reader of YAML 1.1 would otherwise parse as a date.
  return stringify(Object.fromEntries(byKey), { version: '1.1', lineWidth: 0 }).trimEnd()
}

async function showVersions(node: NodeClient, { height, output }: Flags, module: string | undefined): Promise<string> {
  const answer = (await node.get('/sdk/upgrade/v1beta1/module_versions', { height })) as {
    readonly module_versions: readonly { readonly name: string; readonly version: string }[]
  }
  const found = answer.module_versions.filter(({ name }) => module === undefined || name === module)
  if (module !== undefined && found.length === 0) {
    throw queryError('notFound', `x/upgrade: QueryModuleVersions module ${module} not found: not found`)
  }
  const format = parseOutputFormat(output)
  if (format === 'json') return formatOutput({ module_versions: found }, format)
  // The Cosmos SDK does not indent lists.
  return stringify({ module_versions: found }, { indentSeq: false, lineWidth: 0 }).trimEnd()
}

interface BlockId {
  readonly hash: string
  readonly part_set_header: { readonly total: number; readonly hash: string }
}

interface Header {
  readonly version: { readonly block: string; readonly app: string }
  readonly time: string
  readonly last_block_id: BlockId
  readonly [field: string]: unknown
}

interface BlockAnswer {
  readonly block_id: BlockId
  readonly block: { readonly header: Header; readonly data: { readonly txs: readonly string[] } }
}

/** Returns the header as JSON, in every output format. */
async function showApplied(node: NodeClient, flags: Flags, name = ''): Promise<string> {
  const path = `/sdk/upgrade/v1beta1/applied_plan/${encodeURIComponent(name)}`
  const applied = (await node.get(path, { height: flags.height })) as { readonly height: string }
  if (applied.height === '0') throw queryError('notFound', 'no upgrade found')
  const answer = (await node.get(`/sdk/base/tendermint/v1beta1/blocks/${applied.height}`)) as BlockAnswer
  const { block, block_id: id } = answer
  const bytes = toBinary(BlockSchema, readJson(identityOfFlags(flags), BlockSchema, JSON.stringify(block)) as Block)
  const meta = {
    block_id: blockIdJson(id),
    block_size: bytes.length.toString(),
    header: headerJson(block.header),
    num_txs: block.data.txs.length.toString(),
  }
  return JSON.stringify(meta, null, 2)
}

const hex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex').toUpperCase()

function blockIdJson({ hash, part_set_header: { total, hash: partsHash } }: BlockId) {
  return { hash: hex(hash), parts: { total, hash: hex(partsHash) } }
}

/** Returns a header in the form of the CometBFT RPC, with hashes in hexadecimal. */
function headerJson({ version, last_block_id: last, ...rest }: Header) {
  const { chain_id: chainId, height, time, ...hashes } = rest
  return {
    version: version.app === '0' ? { block: version.block } : version,
    chain_id: chainId,
    height,
    time: formatRfc3339Nano(parseRfc3339(time) ?? ZERO_TIME_NS),
    last_block_id: blockIdJson(last),
    ...Object.fromEntries(Object.entries(hashes).map(([name, value]) => [name, hex(value as string)])),
  }
}
