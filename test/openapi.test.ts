import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRouter } from '../src/api/rest/routes.ts'
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { almanac } from '../src/identity/profiles/almanac.ts'
import { servicesOf } from '../src/identity/registry.ts'
import { type Node, startNode } from '../src/index.ts'

const TRACE_CONFIG =
  'tracer timeout reexec disable_stack disable_storage debug limit enable_memory enable_return_data tracer_config.only_top_call'
    .split(' ')
    .map((name) => `trace_config.${name}`)
const TRACED_BLOCK = ['block_number', 'block_hash', 'block_time', 'proposer_address', 'chain_id', 'block_max_gas']
const TRACED_MESSAGE = ['msg.data.type_url', 'msg.data.value', 'msg.size', 'msg.hash', 'msg.from']
const CALL = ['args', 'gas_cap', 'proposer_address', 'chain_id']

/** Documented operations of the API: path, operation, query parameters, fields of the response. */
const EVM: readonly Documented[] = [
  ['/balances/{address}', 'Balance', ['token'], 'balance_wei bank erc20'],
  ['/base_fee', 'BaseFee', [], 'base_fee base_fee_unative'],
  ['/codes/{address}', 'Code', [], 'code'],
  ['/estimate_gas', 'EstimateGas', CALL, 'gas'],
  ['/eth_account/{address}', 'EthAccount', [], 'balance balance_wei bech32_address code_hash eth_address nonce'],
  ['/eth_call', 'EthCall', CALL, 'gas_used hash logs ret vm_error'],
  ['/funtoken/{token}', 'FunToken', [], 'fun_token'],
  ['/params', 'Params', [], 'params'],
  ['/storage/{address}/{key}', 'Storage', [], 'value'],
  ['/trace_block', 'TraceBlock', [...TRACE_CONFIG, ...TRACED_BLOCK], 'data'],
  ['/trace_call', 'TraceCall', [...TRACED_MESSAGE, ...TRACE_CONFIG, ...TRACED_BLOCK], 'data'],
  ['/trace_tx', 'TraceTx', [...TRACED_MESSAGE, ...TRACE_CONFIG, ...TRACED_BLOCK], 'data'],
  ['/validator_account/{cons_address}', 'ValidatorAccount', [], 'account_address account_number sequence'],
]
const RATE = 'block_height block_timestamp_ms exchange_rate is_vintage'
const ORACLE: readonly Documented[] = [
  ['/exchange_rate', 'ExchangeRate', ['pair'], RATE],
  ['/exchange_rate_twap', 'ExchangeRateTwap', ['pair'], RATE],
  ['/pairs/actives', 'Actives', [], 'actives'],
  ['/pairs/exchange_rates', 'ExchangeRates', [], 'exchange_rates'],
  ['/pairs/vote_targets', 'VoteTargets', [], 'vote_targets'],
  ['/params', 'Params', [], 'params'],
  ['/valdiators/{validator_addr}/aggregate_vote', 'AggregateVote', [], 'aggregate_vote'],
  ['/validators/aggregate_prevotes', 'AggregatePrevotes', [], 'aggregate_prevotes'],
  ['/validators/aggregate_votes', 'AggregateVotes', [], 'aggregate_votes'],
  ['/validators/{validator_addr}/aggregate_prevote', 'AggregatePrevote', [], 'aggregate_prevote'],
  ['/validators/{validator_addr}/feeder', 'FeederDelegation', [], 'feeder_addr'],
  ['/validators/{validator_addr}/miss', 'MissCounter', [], 'miss_counter'],
]
const INFLATION: readonly Documented[] = [
  ['/circulating_supply', 'CirculatingSupply', [], 'circulating_supply'],
  ['/epoch_mint_provision', 'EpochMintProvision', [], 'epoch_mint_provision'],
  ['/inflation_rate', 'InflationRate', [], 'inflation_rate'],
  ['/params', 'Params', [], 'params'],
  ['/period', 'Period', [], 'period'],
  ['/skipped_epochs', 'SkippedEpochs', [], 'skipped_epochs'],
]
const DEVGAS: readonly Documented[] = [
  ['/fee_shares/{}', 'FeeShare', ['by'], 'feeshare'],
  ['/fee_shares/{}', 'FeeShares', ['by'], 'feeshare'],
  ['/fee_shares/{}', 'FeeSharesByWithdrawer', ['by'], 'feeshare'],
  ['/params', 'Params', [], 'params'],
]
const TOKENFACTORY: readonly Documented[] = [
  ['/denom-info/{denom}', 'DenomInfo', [], 'admin metadata'],
  ['/denoms/{creator}', 'Denoms', [], 'denoms'],
  ['/params', 'Params', [], 'params'],
]
const EPOCHS: readonly Documented[] = [
  ['/current_epoch', 'CurrentEpoch', ['identifier'], 'current_epoch'],
  ['/epochs', 'EpochInfos', [], 'epochs'],
]
const UPGRADE: readonly Documented[] = [
  ['/applied_plan/{name}', 'AppliedPlan', [], 'height'],
  ['/current_plan', 'CurrentPlan', [], 'plan'],
  ['/module_versions', 'ModuleVersions', [], 'module_versions'],
]
const DOCUMENT = Object.entries({
  'chain.evm.v1': EVM,
  'chain.oracle.v1beta1': ORACLE,
  'chain.inflation.v1': INFLATION,
  'chain.devgas.v1': DEVGAS,
  'chain.tokenfactory.v1': TOKENFACTORY,
  'chain.epochs.v1beta1': EPOCHS,
  'sdk.upgrade.v1beta1': UPGRADE,
}).flatMap(([name, operations]) => operations.map((operation) => [name, ...operation] as const))

type Documented = readonly [path: string, operation: string, query: readonly string[], response: string]

interface Operation {
  readonly operationId: string
  readonly 'x-operations'?: readonly string[]
  readonly 'x-alias-of'?: string
  readonly deprecated?: boolean
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly responses: { readonly 200: { readonly content: { readonly 'application/json': { readonly schema: Ref } } } }
}
type Ref = { readonly $ref: string } | { readonly oneOf: readonly { readonly $ref: string }[] }

let node: Node
let paths: Record<string, Record<string, Operation>>
let schemas: Record<string, { readonly properties: Record<string, unknown> }>

beforeAll(async () => {
  node = await startNode()
  const answer = await fetch(`${node.urls.rest}/openapi.json`)
  const document = (await answer.json()) as { paths: typeof paths; components: { schemas: typeof schemas } }
  paths = document.paths
  schemas = document.components.schemas
})
afterAll(() => node?.stop())

const shapeOf = (path: string) => path.replace(/\{[^}]*\}/g, '{}')
const idsOf = (operation: Operation) => operation['x-operations'] ?? [operation.operationId]
/** Further paths of an operation have a number at the end of its id. */
const withoutNumber = (id: string) => id.replace(/\.\d+$/, '')
const withValues = (path: string) => path.replace(/\{[^}]*\}/g, '1')

test('the documented API has 43 operations on 41 paths', () => {
  expect(DOCUMENT.length).toBe(43)
  expect(new Set(DOCUMENT.map(([name, path]) => name + path)).size).toBe(41)
})

test.each(DOCUMENT)('%s %s is described with its parameters and its response', (name, path, method, query, fields) => {
  const whole = `/${name.replaceAll('.', '/')}${path}`
  const found = Object.keys(paths).find((one) => shapeOf(one) === shapeOf(whole))!
  if (!path.includes('{}')) expect(found).toBe(whole)
  const operation = paths[found]!['get']!
  expect(idsOf(operation).map(withoutNumber)).toContain(`${name}.Query.${method}`)
  const optional = operation.parameters.filter((one) => one.in === 'query' && !one.name.startsWith('pagination.'))
  expect(optional.map((one) => one.name).sort()).toEqual([...query].sort())
  expect(optional.some((one) => one.required)).toBe(false)
  expect(operation.parameters.filter((one) => one.in === 'path').length).toBe(path.split('{').length - 1)
  const { schema } = operation.responses[200].content['application/json']
  const references = 'oneOf' in schema ? schema.oneOf : [schema]
  for (const { $ref } of references) {
    const described = Object.keys(schemas[$ref.split('/').at(-1)!]!.properties)
    expect(described.filter((field) => field !== 'pagination').sort()).toEqual(fields.split(' '))
  }
})

test('every mounted operation is described, and every described one is mounted', async () => {
  const described = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${shapeOf(path)}`),
  )
  const mounted = createRouter(
    almanac,
    servicesOf(almanac).flatMap((service) => service.methods),
  ).routes.map((one) => `${one.verb} ${shapeOf(one.template)}`)
  expect(described.sort()).toEqual([...new Set(mounted)].sort())
  for (const [path, verbs] of Object.entries(paths)) {
    const { status, headers } = await fetch(node.urls.rest + withValues(path), { method: 'OPTIONS' })
    const allowed = headers
      .get('allow')
      ?.split(', ')
      .filter((verb) => verb !== 'HEAD' && verb !== 'OPTIONS')
    const verbsOfPath = Object.keys(verbs).map((verb) => verb.toUpperCase())
    expect([path, status, allowed?.sort()]).toEqual([path, 204, verbsOfPath.sort()])
  }
})

test('the misspelt path of votes is an alias of the right one', () => {
  const aliases = Object.entries(paths).filter(([, verbs]) => verbs['get']?.['x-alias-of'] !== undefined)
  const right = '/chain/oracle/v1beta1/validators/{validator_addr}/aggregate_vote'
  expect(aliases.map(([path, verbs]) => [path, verbs['get']!['x-alias-of'], verbs['get']!.deprecated])).toEqual([
    [right.replace('validators', 'valdiators'), right, true],
  ])
  expect(paths[right]!['get']!.operationId).toBe('chain.oracle.v1beta1.Query.AggregateVote')
})

test('no described read fails with a bug or a missing module', async () => {
  for (const path of Object.keys(paths).filter((one) => paths[one]!['get'])) {
    const { status } = await fetch(node.urls.rest + withValues(path))
    expect([path, [200, 400, 404].includes(status)]).toEqual([path, true])
  }
})

type Ask = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']>

test('gRPC reflection lists exactly the operations of REST', async () => {
  const client = new Client(node.urls.grpc!, credentials.createInsecure())
  const reflect = async (asks: readonly Ask[]) => {
    const same = (bytes: Buffer) => bytes
    const stream = client.makeBidiStreamRequest('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', same, same)
    for (const messageRequest of asks) {
      const ask = create(ServerReflectionRequestSchema, { messageRequest })
      stream.write(Buffer.from(toBinary(ServerReflectionRequestSchema, ask)))
    }
    stream.end()
    const answers = []
    for await (const bytes of stream) answers.push(fromBinary(ServerReflectionResponseSchema, bytes as Buffer))
    return answers.map(({ messageResponse }) => messageResponse)
  }
  const [list] = await reflect([{ case: 'listServices', value: '' }])
  const services = (list!.case === 'listServicesResponse' ? list!.value.service : []).map(({ name }) => name)
  // Proto files have no REST path, as in the Cosmos SDK: their JSON would lack what they say in options.
  const own = services.filter((name) => !name.startsWith('grpc.') && name !== 'cosmos.reflection.v1.ReflectionService')
  const files = await reflect(own.map((value) => ({ case: 'fileContainingSymbol', value })))
  const uncommented: string[] = []
  const listed = files.flatMap((answer, i) => {
    const protos = answer.case === 'fileDescriptorResponse' ? answer.value.fileDescriptorProto : []
    return (
      protos
        .map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
        .map((file) => {
          const commented = new Set(file.sourceCodeInfo?.location.map(({ path }) => path.join('.')))
          for (const [at, { name, method }] of file.service.entries()) {
            if (`${file.package}.${name}` !== own[i]) continue
            for (const [j, one] of method.entries()) if (!commented.has(`6.${at}.2.${j}`)) uncommented.push(one.name)
          }
          return file
        })
        .flatMap((file) => file.service.filter(({ name }) => `${file.package}.${name}` === own[i]))
        // Reflection lists the names that public clients know, the description those of its paths.
        .flatMap((service) => service.method.map(({ name }) => `${own[i]!.replace(/^cosmos\./, 'sdk.')}.${name}`))
    )
  })
  client.close()
  expect(uncommented).toEqual([])
  const described = Object.values(paths).flatMap((verbs) => Object.values(verbs).flatMap(idsOf))
  const operations = new Set(described.map(withoutNumber))
  // The second name of FunToken, which the evm module of the original chain uses.
  expect(listed.sort()).toEqual([...operations, 'chain.evm.v1.Query.FunTokenMapping'].sort())
})
