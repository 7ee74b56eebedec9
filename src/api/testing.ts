/** Support for gateway tests: a service that returns its request, and a node with given handlers. */
import {
  create,
  createFileRegistry,
  type DescMethod,
  fromJson,
  type JsonValue,
  type Message,
  setExtension,
} from '@bufbuild/protobuf'
import {
  FieldOptionsSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import { proveKeys } from '../app/proofs.ts'
import { non_null, rest_of_path, Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { files } from '../gen/files.ts'
import { http } from '../gen/google/api/annotations_pb.ts'
import { HttpRuleSchema } from '../gen/google/api/http_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { createDispatch, type DispatchParts, type QueryHandler } from './dispatch.ts'
import type { GatewayNode } from './gateway.ts'
import { createClientAddress } from './transport/client-address.ts'
import { createConnections } from './transport/connections.ts'
import { createOutgoing } from './transport/outgoing.ts'
import { ownPorts } from './transport/ports.ts'
import { createRateLimit } from './transport/rate-limit.ts'

const STRING = 'TYPE_STRING'

function field(name: string, number: number, type: string, more: JsonValue = {}): JsonValue {
  const jsonName = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { name, jsonName, number, type, label: 'LABEL_OPTIONAL', ...(more as object) }
}

const ref = (typeName: string): JsonValue => ({ typeName })
const repeated: JsonValue = { label: 'LABEL_REPEATED' }

function mapEntry(name: string, value: JsonValue): JsonValue {
  return { name, field: [field('key', 1, STRING), value], options: { mapEntry: true } }
}

const PATHS: Readonly<Record<string, readonly [verb: 'get' | 'post', path: string]>> = {
  Echo: ['get', '/chain/echo/{s}'],
  All: ['get', '/chain/all'],
  Two: ['get', '/chain/two/{s}/{oa}'],
  Mid: ['get', '/chain/mid/{s}/x'],
  Wild: ['get', '/chain/wild/{s=**}'],
  Num: ['get', '/chain/num/{height}'],
  Enum: ['get', '/chain/enum/{enum}'],
  Literal: ['get', '/chain/echo/literal'],
  Denom: ['get', '/chain/denom/{rest}'],
  Nothing: ['get', '/chain/nothing'],
  Post: ['post', '/chain/post'],
  Throws: ['get', '/chain/throws'],
  Waits: ['get', '/chain/waits'],
}

const ECHO: JsonValue = {
  name: 'demo/echo/v1/echo.proto',
  package: 'demo.echo.v1',
  syntax: 'proto3',
  dependency: [
    'google/protobuf/timestamp.proto',
    'google/protobuf/duration.proto',
    'google/protobuf/any.proto',
    'sdk/base/query/v1beta1/pagination.proto',
  ],
  enumType: [
    {
      name: 'Status',
      value: [
        { name: 'BOND_STATUS_UNSPECIFIED', number: 0 },
        { name: 'BOND_STATUS_BONDED', number: 3 },
      ],
    },
  ],
  messageType: [
    { name: 'Sub', field: [field('x', 1, STRING), field('y', 2, 'TYPE_INT64')] },
    {
      name: 'Echo',
      oneofDecl: [{ name: 'one' }],
      nestedType: [
        mapEntry('MsEntry', field('value', 2, STRING)),
        mapEntry('MmEntry', field('value', 2, 'TYPE_MESSAGE', ref('.demo.echo.v1.Sub'))),
      ],
      field: [
        field('s', 1, STRING),
        field('int32', 2, 'TYPE_INT32'),
        field('uint32', 3, 'TYPE_UINT32'),
        field('int64', 4, 'TYPE_INT64'),
        field('uint64', 5, 'TYPE_UINT64'),
        field('bool', 6, 'TYPE_BOOL'),
        field('double', 7, 'TYPE_DOUBLE'),
        field('float', 8, 'TYPE_FLOAT'),
        field('bytes', 9, 'TYPE_BYTES'),
        field('enum', 10, 'TYPE_ENUM', ref('.demo.echo.v1.Status')),
        field('timestamp', 11, 'TYPE_MESSAGE', ref('.google.protobuf.Timestamp')),
        field('timestamp_nonnull', 12, 'TYPE_MESSAGE', ref('.google.protobuf.Timestamp')),
        field('duration', 13, 'TYPE_MESSAGE', ref('.google.protobuf.Duration')),
        field('sub', 14, 'TYPE_MESSAGE', ref('.demo.echo.v1.Sub')),
        field('ms', 15, 'TYPE_MESSAGE', { ...(repeated as object), ...(ref('.demo.echo.v1.Echo.MsEntry') as object) }),
        field('mm', 16, 'TYPE_MESSAGE', { ...(repeated as object), ...(ref('.demo.echo.v1.Echo.MmEntry') as object) }),
        field('rs', 17, STRING, repeated),
        field('ru', 18, 'TYPE_UINT64', repeated),
        field('rsub', 19, 'TYPE_MESSAGE', { ...(repeated as object), ...(ref('.demo.echo.v1.Sub') as object) }),
        field('oa', 20, STRING, { oneofIndex: 0 }),
        field('ob', 21, 'TYPE_INT32', { oneofIndex: 0 }),
        field('snake_case', 22, STRING),
        field('pagination', 23, 'TYPE_MESSAGE', ref('.sdk.base.query.v1beta1.PageRequest')),
        field('any', 24, 'TYPE_MESSAGE', ref('.google.protobuf.Any')),
        field('dec', 25, STRING),
        field('rest', 26, STRING),
        field('height', 27, 'TYPE_INT64'),
        field('sub_nonnull', 28, 'TYPE_MESSAGE', ref('.demo.echo.v1.Sub')),
      ],
    },
    { name: 'Nothing' },
  ],
  service: [
    {
      name: 'Query',
      method: Object.keys(PATHS).map((name) => ({
        name,
        inputType: name === 'Nothing' ? '.demo.echo.v1.Nothing' : '.demo.echo.v1.Echo',
        outputType: name === 'Nothing' ? '.demo.echo.v1.Nothing' : '.demo.echo.v1.Echo',
      })),
    },
  ],
}

function echoFile(): FileDescriptorProto {
  const file = fromJson(FileDescriptorProtoSchema, ECHO)
  for (const method of file.service[0]!.method) {
    const [verb, path] = PATHS[method.name]!
    method.options = create(MethodOptionsSchema)
    const body = verb === 'post' ? '*' : ''
    setExtension(method.options, http, create(HttpRuleSchema, { pattern: { case: verb, value: path }, body }))
  }
  for (const { name, ...row } of file.messageType[1]!.field) {
    const options = create(FieldOptionsSchema)
    if (name === 'timestamp_nonnull' || name === 'sub_nonnull') setExtension(options, non_null, true)
    if (name === 'dec') setExtension(options, scalar, Scalar.DECIMAL)
    if (name === 'rest') setExtension(options, rest_of_path, true)
    file.messageType[1]!.field.find(({ number }) => number === row.number)!.options = options
  }
  return file
}

const echoRegistry = createFileRegistry(echoFile(), (name) =>
  [...files, ...files.flatMap((file) => file.dependencies)].find((file) => `${file.name}.proto` === name),
)

/** Methods of the service. A test provides their handlers. */
export const echoMethods: readonly DescMethod[] = echoRegistry.getService('demo.echo.v1.Query')!.methods
export const echoSchema = echoRegistry.getMessage('demo.echo.v1.Echo')!

export interface TestNodeOptions {
  readonly queries?: Readonly<Record<string, (request: never, height: bigint) => Message>>
  readonly settings?: Partial<GatewayNode['settings']>
  readonly compute?: GatewayNode['compute']
  readonly jobs?: readonly string[]
  readonly services?: DispatchParts['services']
}

/** Creates a node at height 20 whose earliest height is 10. `queries` are handlers by method path. */
export function gatewayNode({
  queries = {},
  settings = {},
  compute,
  jobs = [],
  services = new Map(),
}: TestNodeOptions): GatewayNode {
  const withContext: GatewayNode['withContext'] = (height, read) => {
    const known = height ?? 20n
    if (known > 20n) throw queryError('outOfRange', `height ${known} is in the future`)
    if (known < 10n) throw queryError('notFound', `height ${known} is pruned`)
    return read({ block: { height: known }, identity: almanac, store: {} } as never)
  }
  const handlers = new Map<string, QueryHandler>(
    Object.entries(queries).map(([path, handle]) => [
      path,
      (ctx, request) => handle(request as never, ctx.block.height),
    ]),
  )
  const log: GatewayNode['log'] = () => {}
  const none: GatewayNode['compute'] = {
    run: () => Promise.reject(new ChainError('x', { code: 1, status: 'unavailable', text: 'no pool' }, 'no pool')),
  }
  return {
    identity: almanac,
    chainId: almanac.defaultChainId,
    evmChainId: 6930n,
    dispatch: createDispatch({
      queries: handlers,
      services,
      withContext,
      compute: compute ?? none,
      jobs: new Set(jobs),
      gasCap: 25_000_000n,
      trace: () => Promise.reject(new Error('no blocks to trace')),
      log,
    }),
    compute: compute ?? none,
    blocks: { latestHeight: () => 20n, earliestHeight: () => 10n, header: () => undefined } as never,
    driver: { status: () => ({ catchingUp: false, latestHeight: 20n, latestTimeNs: 0n }) } as never,
    withContext,
    prove: async (height, keys) => withContext(height, (ctx) => proveKeys(ctx, keys)),
    ports: ownPorts,
    clientAddress: createClientAddress([]),
    rates: createRateLimit({ perSecond: 0, burst: 0 }, () => performance.now()),
    outgoing: createOutgoing({ bytes: 96_000_000, stallMs: () => 10_000, onDisconnect() {} }, () => performance.now()),
    connections: createConnections(
      1000,
      () => performance.now(),
      () => {},
    ),
    settings: {
      minGasPrice: '',
      gasCap: 25_000_000n,
      evmTimeoutMs: 5000,
      txFeeCapWei: 0n,
      logsBlockRange: 0,
      corsOrigins: ['*'],
      bodyLimitBytes: 1000,
      syncTimeoutMs: 1000,
      batchLimit: 100,
      slotsInAnEpoch: 0,
      txOrder: 'fees',
      filterLimit: 200,
      txServiceEnabled: true,
      keepHeights: 0,
      devKeys: undefined,
      insecureKeys: false,
      isReadOnly: false,
      unsafeEngineRpc: false,
      isDevelopment: false,
      version: '0.1.0',
      ...settings,
    },
    log,
    now: () => 1_700_000_000_500,
  }
}
