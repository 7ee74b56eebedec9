/** Descriptions of the API, from the comments of `proto/`: complete, true about errors, and in the names of the profile. */
import type { DescMessage } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STATUS_CODES } from '../src/api/errors.ts'
import { describeApi } from '../src/api/rest/openapi.ts'
import { createRouter } from '../src/api/rest/routes.ts'
import { queryCommand } from '../src/cli/query.ts'
import { processTerminal } from '../src/cli/terminal.ts'
import { describe } from '../src/identity/descriptions.ts'
import { createIdentity } from '../src/identity/identity.ts'
import { almanac } from '../src/identity/profiles/almanac.ts'
import { nibiru217 } from '../src/identity/profiles/nibiru.ts'
import { methods, servicesOf } from '../src/identity/registry.ts'
import { type Node, startNode } from '../src/index.ts'
import { decodeBech32 } from '../src/primitives/address.ts'

interface Described {
  readonly description?: string
  readonly example?: unknown
}
interface Parameter extends Described {
  readonly name: string
  readonly in: string
}
interface Operation extends Described {
  readonly operationId: string
  readonly summary?: string
  readonly 'x-operations'?: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly responses: Readonly<Record<string, Described>>
}
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, Described>> }>>
  }
}

const { routes } = createRouter(almanac, methods.values())
const served = createRouter(
  almanac,
  servicesOf(almanac).flatMap((service) => service.methods),
)
const api = describeApi(almanac, served.routes, '1') as unknown as Api
const operations = Object.entries(api.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb, ...operation })),
)

let node: Node
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node?.stop())

/** Returns the names of all fields that a message leads to. */
function fieldsBelow(type: DescMessage, seen = new Set<string>()): readonly string[] {
  if (seen.has(type.typeName) || type.typeName.startsWith('google.')) return []
  seen.add(type.typeName)
  return type.fields.flatMap((field) => [
    `${type.typeName}.${field.name}`,
    ...(field.message ? fieldsBelow(field.message, seen) : []),
  ])
}

test('every operation, and every field of its request and its answer, has a comment', () => {
  const names = routes.flatMap(({ rpc }) => [
    `${rpc.parent.typeName}.${rpc.name}`,
    ...fieldsBelow(rpc.input),
    ...fieldsBelow(rpc.output),
  ])
  expect(names.filter((name) => !describe(almanac, name)?.text)).toEqual([])
  expect(new Set(routes.map(({ method }) => method)).size).toBeGreaterThanOrEqual(135)
})

test('every operation and parameter of openapi.json has a description', () => {
  const parameters = operations.flatMap(({ path, parameters: all }) => all.map((one) => ({ path, ...one })))
  expect(parameters.length).toBeGreaterThanOrEqual(346)
  expect(parameters.filter(({ description }) => !description)).toEqual([])
  expect(operations.filter(({ summary, description }) => !summary || !description)).toEqual([])
  for (const [name, { properties }] of Object.entries(api.components.schemas)) {
    const without = Object.entries(properties).filter(([, { description }]) => !description)
    expect([name, without.map(([field]) => field)]).toEqual([name, []])
  }
})

test('every value of a path, and every required text, has an example', () => {
  const without = operations.flatMap(({ path, parameters }) =>
    parameters.filter((one) => one.in === 'path' && one.example === undefined).map(({ name }) => `${path} ${name}`),
  )
  expect(without).toEqual([])
})

test('every described error is one of the statuses', () => {
  for (const { rpc } of routes) {
    const name = `${rpc.parent.typeName}.${rpc.name}`
    for (const { status, cause } of describe(almanac, name)!.errors) {
      expect([name, Object.keys(STATUS_CODES).includes(status), cause !== '']).toEqual([name, true, true])
    }
  }
})

const reads = operations.filter(({ verb }) => verb === 'get')
const fill = (path: string, value: (name: string) => string) =>
  path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(value(name)))

test('an example, and a wrong value, give an answer or an error that is described', async () => {
  const undescribed: string[] = []
  for (const { path, parameters, responses } of reads) {
    const exampleOf = (name: string) => String(parameters.find((one) => one.name === name)?.example)
    for (const url of [fill(path, exampleOf), fill(path, () => '!'), fill(path, () => '999999999')]) {
      const { status } = await fetch(node.urls.rest + url)
      if (!(status in responses)) undescribed.push(`${url}: ${status}`)
    }
  }
  expect(undescribed).toEqual([])
})

test('the help of a query shows the operation, its errors, and each flag with unit and example', async () => {
  const lines: string[] = []
  const command = queryCommand({ ...processTerminal(), print: (text) => lines.push(text) })
  for (const one of [command, ...command.commands.flatMap((child) => [child, ...child.commands])]) {
    one.configureOutput({ writeOut: (text) => lines.push(text) })
  }
  await expect(command.parseAsync(['bank', 'all-balances', '--help'], { from: 'user' })).rejects.toThrow()
  const help = lines.join('').replace(/\s+/g, ' ')
  expect(help).toContain('Returns the balances of an account in all denoms. Query /sdk/bank/v1beta1/balances/{address}')
  expect(help).toContain('Errors: invalidArgument: address is not an address')
  expect(help).toContain('address Holder, as Bech32 or 0x-hexadecimal address. Example: chain1')
  expect(help).toContain('--page-limit <number> Length of the page; 0: 100. Unit: entries, at most 1000. Example: 10')
})

test('/docs is a list of all operations for clients that want no page', async () => {
  const answer = await fetch(`${node.urls.rest}/docs`)
  expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  const text = await answer.text()
  for (const { path, verb } of operations) expect(text).toContain(`- \`${verb.toUpperCase()} ${path}\`: `)
  expect((await fetch(`${node.urls.rest}/swagger`)).url).toBe(`${node.urls.rest}/docs`)
})

test('a profile has its own addresses, denoms and types in descriptions', () => {
  const identity = createIdentity(nibiru217)
  const text = JSON.stringify(describeApi(identity, createRouter(identity, methods.values()).routes, '1'))
  expect(text).not.toMatch(/\b(chain(valoper|valcons)?1[02-9ac-hj-np-z]{38}|unative|chain\.evm|sdk\.bank)\b/)
  const example = describe(identity, 'chain.tokenfactory.v1.QueryDenomInfoRequest.denom')!.example!
  expect(example).toMatch(/^factory\/nibi1[02-9ac-hj-np-z]{38}\/gold$/)
  expect(decodeBech32(example.split('/')[1]!)).toMatchObject({ prefix: 'nibi' })
})
