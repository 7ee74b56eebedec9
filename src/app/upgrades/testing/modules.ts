/** Modules and upgrades for tests: the modules' state changes its form four times. */
import { create } from '@bufbuild/protobuf'
import {
  type FeeShare,
  FeeShareSchema,
  type ModuleParams,
  ModuleParamsSchema,
} from '../../../gen/chain/devgas/v1/devgas_pb.ts'
import { Query as LedgerQuery } from '../../../gen/chain/devgas/v1/query_pb.ts'
import { Query as GrantsQuery } from '../../../gen/sdk/authz/v1beta1/query_pb.ts'
import { Query as NotesQuery } from '../../../gen/sdk/feegrant/v1beta1/query_pb.ts'
import * as address from '../../../identity/address.ts'
import { formatBech32 } from '../../../primitives/address.ts'
import { compare, concat, formatUtf8, utf8 } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { sha256 } from '../../../primitives/hash.ts'
import { byVersion } from '../../../sdk/by-version.ts'
import type { Context, MigrationContext, ReadContext } from '../../../sdk/context.ts'
import { defineModule, defineQueries, type Module, type ModuleDefinition } from '../../../sdk/module.ts'
import { protoValue, stringValue, type ValueCodec } from '../../../store/collections/codecs.ts'
import { bareItem, keySet, map } from '../../../store/collections/collections.ts'
import { accountTextKey, bareStringKey, evmAddressKey, pairKey } from '../../../store/collections/key-codecs.ts'
import { modules as builtModules } from '../../modules.ts'
import type { Upgrade } from '../types.ts'
import { editionOf, versionsAfter } from '../versions.ts'

/** Returns 20 bytes derived from a word. */
const account = (word: string): Uint8Array => sha256(utf8(word)).slice(0, 20)
const accountText = (word: string): string => formatBech32('chain', account(word))

/** Encoding of records before version 5: two texts with a bar between them. */
const barred: ValueCodec<FeeShare> = {
  encode: (_ctx, { deployerAddress, withdrawerAddress }) => utf8(`${deployerAddress}|${withdrawerAddress}`),
  decode(_ctx, bytes) {
    const [deployerAddress = '', withdrawerAddress = ''] = formatUtf8(bytes).split('|')
    return create(FeeShareSchema, { deployerAddress, withdrawerAddress })
  },
}

/** Encoding of parameters at version 1: without denoms. */
const shortParams: ValueCodec<ModuleParams> = {
  encode: (_ctx, { developerShares }) => utf8(developerShares),
  decode: (_ctx, bytes) => create(ModuleParamsSchema, { developerShares: formatUtf8(bytes) }),
}

const RECORDS = 0x11
const REWRITTEN = 0x12
const PARAMS = Uint8Array.of(0x14)

const records = {
  first: map('devgas', RECORDS, accountTextKey, barred),
  renamed: map('shares', RECORDS, accountTextKey, barred),
  rewritten: map('shares', REWRITTEN, evmAddressKey, protoValue(FeeShareSchema)),
}
const ledger = byVersion('devgas', { 1: records.first, 4: records.renamed, 5: records.rewritten })
const paramsCodec = protoValue(ModuleParamsSchema)
const paramsByVersion = {
  first: bareItem<ModuleParams>('devgas', PARAMS, shortParams),
  longer: bareItem<ModuleParams>('devgas', PARAMS, paramsCodec),
}
const params = byVersion('devgas', {
  1: paramsByVersion.first,
  2: paramsByVersion.longer,
  4: bareItem<ModuleParams>('shares', PARAMS, paramsCodec),
})
/** Index by withdrawer and contract, from version 3 on. */
const byHolder = keySet('byholder', 0x11, pairKey(accountTextKey, accountTextKey))

function recordOf(contract: Uint8Array, record: FeeShare): FeeShare {
  return create(FeeShareSchema, { ...record, contractAddress: formatBech32('chain', contract) })
}

function all(ctx: ReadContext): FeeShare[] {
  return [...ledger.iterate(ctx)].map(([contract, record]) => recordOf(contract, record))
}

const versionOf = (ctx: ReadContext): number => ctx.app.versionOf('devgas')!

const ledgerQueries = (byWithdrawer: (ctx: ReadContext, withdrawer: string) => FeeShare[]) =>
  defineQueries(LedgerQuery, {
    feeShares: (ctx, { deployer }) => ({
      feeshare: all(ctx).filter(({ deployerAddress }) => deployerAddress === deployer),
    }),
    feeShare(ctx, { contractAddress }) {
      const contract = address.parse(ctx, contractAddress)
      const record = ledger.get(ctx, contract)
      if (!record) throw queryError('notFound', `no record of ${contractAddress}`)
      return { feeshare: recordOf(contract, record) }
    },
    params: (ctx) => ({ params: params.get(ctx) ?? create(ModuleParamsSchema) }),
    feeSharesByWithdrawer: (ctx, { withdrawerAddress }) => ({ feeshare: byWithdrawer(ctx, withdrawerAddress) }),
  })

const scanning = ledgerQueries((ctx, withdrawer) =>
  all(ctx).filter(({ withdrawerAddress }) => withdrawerAddress === withdrawer),
)
const indexed = ledgerQueries((ctx, withdrawer) =>
  withdrawer === ''
    ? []
    : [...byHolder.iterate(ctx, { prefix: address.parse(ctx, withdrawer) })].map(([, contract]) =>
        recordOf(contract, ledger.get(ctx, contract)!),
      ),
)

const PEOPLE = 5
export const person = (i: number): string => accountText(`person ${i % PEOPLE}`)
export const contract = (i: number): string => accountText(`contract ${i}`)
const CONTRACTS = 40

/** Returns parameters with defaults for absent fields. */
function plain({ enableFeeShare = true, developerShares = '0', allowedDenoms = [] }: Partial<ModuleParams> = {}) {
  return { enableFeeShare, developerShares, allowedDenoms }
}

/** Changes the ledger in each block: it writes a record, sometimes deletes one, and changes parameters. */
function live(ctx: Context): void {
  const height = Number(ctx.block.height)
  const put = (i: number, record: FeeShare | undefined): void => {
    const key = address.parse(ctx, contract(i % CONTRACTS))
    const before = ledger.get(ctx, key)
    if (versionOf(ctx) >= 3) {
      if (before) byHolder.delete(ctx, [address.parse(ctx, before.withdrawerAddress), key])
      if (record) byHolder.add(ctx, [address.parse(ctx, record.withdrawerAddress), key])
    }
    if (record) ledger.set(ctx, key, record)
    else if (before) ledger.delete(ctx, key)
  }
  const record = { deployerAddress: person(height), withdrawerAddress: person(height * 3 + 1) }
  put(height, create(FeeShareSchema, record))
  if (height % 5 === 0) put(height * 7, undefined)
  if (height % 4 === 1) {
    const known = params.get(ctx)
    params.set(ctx, create(ModuleParamsSchema, { ...plain(known), developerShares: `${height}000000000000000` }))
  }
}

const ledgerDefinition = (queries: ModuleDefinition['queries']): ModuleDefinition => ({
  name: 'devgas',
  ...(queries && { queries }),
  endBlock: live,
})

const ledgerModule = defineModule({
  ...ledgerDefinition(indexed),
  version: 5,
  stores: ['shares', 'byholder'],
  editions: [
    defineModule({ ...ledgerDefinition(scanning), version: 2 }),
    defineModule({ ...ledgerDefinition(indexed), version: 3, stores: ['devgas', 'byholder'] }),
  ],
  migrations: {
    1(ctx) {
      const known = paramsByVersion.first.get(ctx)
      paramsByVersion.longer.set(ctx, create(ModuleParamsSchema, { ...plain(known), allowedDenoms: ['unative'] }))
    },
    2(ctx) {
      for (const [key, { withdrawerAddress }] of records.first.iterate(ctx)) {
        byHolder.add(ctx, [address.parse(ctx, withdrawerAddress), key])
      }
    },
    3() {},
    4: rewriteKeys,
  },
})

/** Moves every record to another key in another encoding: one run writes, one run deletes. */
function rewriteKeys(ctx: MigrationContext): void {
  const old = [...records.renamed.iterate(ctx)]
  const sorted = old.toSorted(([a], [b]) => compare(a, b))
  const value = protoValue(FeeShareSchema)
  ctx.expectKeys?.(2 * old.length)
  ctx.writeRun(
    'shares',
    sorted.map(([key, record]) => [concat(Uint8Array.of(REWRITTEN), key), value.encode(ctx, record)] as const),
  )
  ctx.writeRun(
    'shares',
    old.map(([key]) => [records.renamed.keyBytes(ctx, key), undefined] as const),
  )
}

const notes = map('feegrant', 0x11, bareStringKey, stringValue)

/** A module that the fourth upgrade removes, with its store. */
const notesModule = defineModule({
  name: 'feegrant',
  version: 2,
  queries: defineQueries(NotesQuery, {
    allowance: (ctx, { granter, grantee }) => ({ allowance: { granter, grantee: notes.get(ctx, grantee) ?? '' } }),
    allowances: (ctx) => ({ allowances: [...notes.iterate(ctx)].map(([granter, grantee]) => ({ granter, grantee })) }),
    allowancesByGranter: (ctx, { granter }) => ({ allowances: [{ granter, grantee: notes.get(ctx, granter) ?? '' }] }),
  }),
  endBlock: (ctx) => notes.set(ctx, person(Number(ctx.block.height)), `seen at ${ctx.block.height}`),
})

const grants = map('labgrants', 0x11, bareStringKey, stringValue)

/** A module that the second upgrade adds, with its store. */
const grantsModule = defineModule({
  name: 'authz',
  version: 2,
  stores: ['labgrants'],
  genesis: {
    defaults: () => ({ first: 'by genesis' }),
    init: (ctx, json) => grants.set(ctx, 'first', (json as { first: string }).first),
    export: () => ({}),
  },
  queries: defineQueries(GrantsQuery, {
    grants: (ctx, { granter }) => ({ grants: grants.has(ctx, granter) ? [{}] : [] }),
    granterGrants: (ctx) => ({ grants: [...grants.iterate(ctx)].map(([granter, grantee]) => ({ granter, grantee })) }),
    granteeGrants: (ctx, { grantee }) => ({ grants: [{ granter: grants.get(ctx, grantee) ?? '', grantee }] }),
  }),
  endBlock: (ctx) => grants.set(ctx, person(Number(ctx.block.height)), `granted at ${ctx.block.height}`),
})

/** The modules of this build, with the three above in place of the real ones. */
export const labModules: readonly Module[] = builtModules.map(
  (module) => [ledgerModule, notesModule, grantsModule].find(({ name }) => name === module.name) ?? module,
)

/** Five upgrades: longer parameters, a store and a module added, a store renamed, a module and its store removed, keys rewritten. */
export const labUpgrades: readonly Upgrade[] = [
  { name: 'longer-params', inPlace: true, modules: { devgas: 2 } },
  {
    name: 'store-added',
    inPlace: true,
    modules: { devgas: 3, authz: 2 },
    stores: { added: ['byholder', 'labgrants'] },
  },
  {
    name: 'store-renamed',
    inPlace: true,
    modules: { devgas: 4 },
    stores: { renamed: [{ from: 'devgas', to: 'shares' }] },
  },
  { name: 'store-deleted', inPlace: true, modules: { feegrant: 'removed' }, stores: { deleted: ['feegrant'] } },
  { name: 'keys-rewritten', inPlace: true, modules: { devgas: 5 } },
]

/** Returns the binary with the first `count` upgrades, which it does not run in place, and the modules of that time. */
export function labBinary(count: number): {
  readonly modules: readonly Module[]
  readonly upgrades: readonly Upgrade[]
} {
  const upgrades = labUpgrades.slice(0, count).map((one) => ({ ...one, inPlace: false }))
  const versions = upgrades.reduce(versionsAfter, labVersions)
  const modules = labModules.flatMap((module) => {
    const version = versions.get(module.name)
    if (version === undefined) return labVersions.has(module.name) ? [module] : []
    return [{ ...editionOf(module, version), editions: module.editions.filter((older) => older.version < version) }]
  })
  return { modules, upgrades }
}

/** Versions of a chain before the first of these upgrades. */
export const labVersions: ReadonlyMap<string, number> = new Map(
  labModules.flatMap(({ name, version }) =>
    name === 'authz' ? [] : [[name, name === 'devgas' ? 1 : version] as const],
  ),
)
