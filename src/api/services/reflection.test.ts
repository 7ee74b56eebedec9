import { createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ListImplementationsRequestSchema,
  ListImplementationsResponseSchema,
} from '../../gen/sdk/base/reflection/v1beta1/reflection_pb.ts'
import { FileDescriptorsResponseSchema } from '../../gen/sdk/reflection/v1/reflection_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { messageType } from '../../identity/registry.ts'
import { type Node, startNode } from '../../index.ts'
import { knownTypes } from '../../sdk/known-types.ts'
import { interfacesOf, MESSAGES } from './interfaces.ts'

let node: Node
let client: Client

beforeAll(async () => {
  node = await startNode()
  client = new Client(node.urls.grpc, credentials.createInsecure())
})
afterAll(async () => {
  client.close()
  await node.stop()
})

const call = (path: string, request = Buffer.alloc(0)): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const pass = (bytes: Buffer) => bytes
    client.makeUnaryRequest(path, pass, pass, request, (error, answer) => (error ? reject(error) : resolve(answer!)))
  })

async function rest<T>(path: string): Promise<T> {
  const response = await fetch(`${node.urls.rest}/cosmos/base/reflection/v1beta1/${path}`)
  expect(response.status, path).toBe(200)
  return (await response.json()) as T
}

test('interfaces and their types are listed by the names that Cosmos SDK clients know', async () => {
  const { interface_names: names } = await rest<{ interface_names: string[] }>('interfaces')
  expect(names).toContain('cosmos.base.v1beta1.Msg')
  expect(names).toContain('cosmos.auth.v1beta1.AccountI')
  const implementations = async (name: string) =>
    (await rest<{ implementation_message_names: string[] }>(`interfaces/${name}/implementations`))
      .implementation_message_names
  for (const name of names) expect(await implementations(name), name).not.toEqual([])
  expect(await implementations('cosmos.feegrant.v1beta1.FeeAllowanceI')).toEqual([
    '/cosmos.feegrant.v1beta1.AllowedMsgAllowance',
    '/cosmos.feegrant.v1beta1.BasicAllowance',
    '/cosmos.feegrant.v1beta1.PeriodicAllowance',
  ])
  expect(await implementations('sdk.base.v1beta1.Msg')).toContain('/chain.oracle.v1beta1.MsgEditOracleParams')
  expect(await implementations('cosmos.no.Such')).toEqual([])
})

test('over gRPC an empty interface name is refused', async () => {
  const path = '/cosmos.base.reflection.v1beta1.ReflectionService/ListImplementations'
  const request = (interfaceName: string) =>
    Buffer.from(
      toBinary(ListImplementationsRequestSchema, {
        $typeName: ListImplementationsRequestSchema.typeName,
        interfaceName,
      }),
    )
  await expect(call(path, request(''))).rejects.toMatchObject({ code: 3, details: 'invalid interface name' })
  const answer = fromBinary(ListImplementationsResponseSchema, await call(path, request('cosmos.tx.v1beta1.Tx')))
  expect(answer.implementationMessageNames).toEqual(['/cosmos.tx.v1beta1.Tx'])
})

test('the application is described: chain, prefix, modes, messages, services', async () => {
  const get = <T>(part: string) => rest<T>(`app_descriptor/${part}`)
  expect(await get('chain')).toEqual({ chain: { id: node.chainId } })
  expect(await get('configuration')).toEqual({ config: { bech32_account_address_prefix: 'chain' } })
  const modes = await get<{ authn: { sign_modes: { name: string; number: number }[] } }>('authn')
  expect(modes.authn.sign_modes.map(({ name, number }) => [name, number])).toEqual([
    ['SIGN_MODE_DIRECT', 1],
    ['SIGN_MODE_DIRECT_AUX', 3],
    ['SIGN_MODE_LEGACY_AMINO_JSON', 127],
  ])
  const { tx } = await get<{ tx: { fullname: string; msgs: { msg_type_url: string }[] } }>('tx_descriptor')
  expect(tx.fullname).toBe('cosmos.tx.v1beta1.Tx')
  expect(tx.msgs).toContainEqual({ msg_type_url: '/cosmos.bank.v1beta1.MsgSend' })
  const { codec } = await get<{ codec: { interfaces: { fullname: string; interface_implementers: object[] }[] } }>(
    'codec',
  )
  expect(codec.interfaces.find(({ fullname }) => fullname === 'cosmos.evidence.v1beta1.Evidence')).toMatchObject({
    interface_implementers: [
      { fullname: 'cosmos.evidence.v1beta1.Equivocation', type_url: '/cosmos.evidence.v1beta1.Equivocation' },
    ],
  })
})

test('every query service that is described answers at its path', async () => {
  const { queries } = await rest<{
    queries: { query_services: { fullname: string; is_module: boolean; methods: { full_query_path: string }[] }[] }
  }>('app_descriptor/query_services')
  const bank = queries.query_services.find(({ fullname }) => fullname === 'cosmos.bank.v1beta1.Query')!
  expect(bank.is_module).toBe(true)
  for (const { methods } of queries.query_services) {
    for (const { full_query_path: path } of methods) {
      const status = await call(path).then(
        () => 0,
        (error: { code: number }) => error.code,
      )
      // 12: unimplemented.
      expect(status, path).not.toBe(12)
    }
  }
})

test('the proto files of the application build a registry, under the active names', async () => {
  const { files } = fromBinary(
    FileDescriptorsResponseSchema,
    await call('/cosmos.reflection.v1.ReflectionService/FileDescriptors'),
  )
  expect(files.map(({ name }) => name)).toEqual(files.map(({ name }) => name).toSorted())
  // The answer is sorted by name; this library wants imported files first.
  const byName = new Map(files.map((file) => [file.name, file]))
  const ordered = new Set<(typeof files)[number]>()
  const add = (file: (typeof files)[number]): void => {
    for (const name of file.dependency) add(byName.get(name)!)
    ordered.add(file)
  }
  for (const file of files) add(file)
  const built = createFileRegistry({ $typeName: FileDescriptorSetSchema.typeName, file: [...ordered] })
  expect(built.getMessage('cosmos.bank.v1beta1.MsgSend')).toBeDefined()
  expect(built.getService('chain.oracle.v1beta1.Query')).toBeDefined()
})

test('each type of an interface is a type of this build, and keys and accounts have an interface', () => {
  for (const profile of ['almanac', 'nibiru'] as const) {
    const interfaces = interfacesOf(identityOf(profile))
    for (const types of interfaces.values()) for (const type of types) expect(messageType(type.typeName)).toBe(type)
    const listed = new Set([...interfaces.values()].flat())
    expect([...knownTypes.values()].filter((type) => !listed.has(type))).toEqual([])
    const messages = interfaces.get(MESSAGES)!.map(({ typeName }) => typeName)
    expect(messages.includes('sdk.vesting.v1beta1.MsgCreateVestingAccount')).toBe(profile === 'almanac')
  }
})
