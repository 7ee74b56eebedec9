/** The documents of all operations and of all errors, as `proto/`, the tables of methods and the modules say them. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { STATUS_CODES } from '../../src/api/errors.ts'
import { readResults, readTable } from '../../src/api/openrpc/document.ts'
import { ENGINE_METHODS } from '../../src/api/openrpc/engine-methods.ts'
import { DEVELOPMENT_VERBS, ETHEREUM_METHODS } from '../../src/api/openrpc/ethereum-methods.ts'
import { describeApi } from '../../src/api/rest/openapi.ts'
import { createRouter } from '../../src/api/rest/routes.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { servicesOf } from '../../src/identity/registry.ts'
import { ChainError } from '../../src/primitives/errors.ts'

const root = resolve(import.meta.dirname, '../..')
export const API_FILE = join(root, 'docs/api.md')
export const ERRORS_FILE = join(root, 'docs/errors.md')

interface Operation {
  readonly description: string
  readonly tags: readonly string[]
  readonly 'x-method': string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly description: string }[]
}

/** Returns a text in one line, in which nothing is read as markup. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')

/** Returns the operations of REST and gRPC by service, each as a path with its method. */
function operationsByService(): ReadonlyMap<string, readonly (readonly [string, Operation])[]> {
  const { routes } = createRouter(
    almanac,
    servicesOf(almanac).flatMap(({ methods }) => methods),
  )
  const { paths } = describeApi(almanac, routes, '1') as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const services = new Map<string, [string, Operation][]>()
  for (const [path, verbs] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      const service = operation.tags[0]!
      services.set(service, [...(services.get(service) ?? []), [`${verb.toUpperCase()} ${path}`, operation]])
    }
  }
  return new Map([...services].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function serviceText([service, operations]: readonly [string, readonly (readonly [string, Operation])[]]): string {
  const items = operations.map(([path, { description, parameters, 'x-method': method }]) => {
    const own = parameters.filter(({ in: place }) => place !== 'header')
    const fields = own.map(({ name, description: text }) => `  - \`${name}\`: ${cell(text)}`)
    return [`- \`${path}\`, \`${method.split('/')[1]}\`: ${cell(description)}`, ...fields].join('\n')
  })
  return `### ${service}\n\n${items.join('\n')}\n`
}

const methodRow = (name: string, params: readonly { name: string; required: boolean }[], text: string): string =>
  `| \`${name}\` | ${params.map((one) => `\`${one.name}\`${one.required ? '' : ' (optional)'}`).join(', ')} | ${cell(text)} |`

/** Returns the text of `docs/api.md`. */
export function renderApi(): string {
  const methods = [...readTable(ETHEREUM_METHODS)].map(([name, { params, text }]) => methodRow(name, params, text))
  const verbs = [...readTable(DEVELOPMENT_VERBS)].map(([name, { params, text }]) => methodRow(name, params, text))
  const engine = [...readResults(ENGINE_METHODS)].map(([name, [, text]]) => `| \`${name}\` | ${cell(text)} |`)
  return `# All operations

Every operation of a node, under the names of the profile \`almanac\`. \`npm run limits\` writes this page from the comments in \`proto/\` and
the tables of methods. A running node shows the same at \`/docs\`, with examples, types and errors (\`docs/api-page.md\`), and as
\`openapi.json\` and \`openrpc.json\`.

## REST and gRPC

Each line has the path, the method of gRPC, and what it does. Every operation takes a height: \`x-sdk-block-height\`, or \`?height=\` (\`docs/gateways.md\`).

${[...operationsByService()].map(serviceText).join('\n')}
## JSON-RPC of Ethereum

| Method | Parameters | Meaning |
|---|---|---|
${methods.join('\n')}

## Methods of a development chain

Each has the prefixes \`anvil_\`, \`hardhat_\` and \`evm_\`.

| Method | Parameters | Meaning |
|---|---|---|
${verbs.join('\n')}

## RPC of the engine

| Method | Meaning |
|---|---|
${engine.join('\n')}
`
}

/** Returns one error of each row that the modules register, in the order of their codes. */
async function registeredErrors(): Promise<readonly ChainError[]> {
  const modules = readdirSync(join(root, 'src/modules')).map((name) => join(root, 'src/modules', name))
  const files = [join(root, 'src/sdk'), ...modules].flatMap((folder) =>
    readdirSync(folder).includes('errors.ts') ? [join(folder, 'errors.ts')] : [],
  )
  const found = new Map<string, ChainError>()
  for (const file of files) {
    const exported = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
    for (const rows of Object.values(exported)) {
      if (typeof rows !== 'object' || rows === null) continue
      for (const make of Object.values(rows)) {
        const error: unknown = typeof make === 'function' ? make() : undefined
        if (error instanceof ChainError) found.set(`${error.codespace} ${String(error.code).padStart(6, '0')}`, error)
      }
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error)
}

/** Returns the text of `docs/errors.md`. */
export async function renderErrors(): Promise<string> {
  const errors = await registeredErrors()
  const codespaces = [...new Set(errors.map(({ codespace }) => codespace))]
  const rows = (codespace: string): string =>
    errors
      .filter((error) => error.codespace === codespace)
      .map(({ code, status, message }) => {
        const { http, grpc } = STATUS_CODES[status]
        return `| ${code} | ${cell(message)} | ${http} | ${grpc} ${status} |`
      })
      .join('\n')
  const statuses = Object.entries(STATUS_CODES).map(
    ([status, { grpc, http, jsonRpc }]) => `| ${grpc} ${status} | ${http} | ${jsonRpc} |`,
  )
  return `# All errors

The errors that modules register, by the codespace and the code that the result of a transaction has; a detail can precede the text. A
query that fails with one answers the status beside it. \`npm run limits\` writes this page from the modules. \`docs/gateways.md\`
says how each protocol reports an error.

## Statuses

| gRPC | HTTP | JSON-RPC |
|---|---|---|
${statuses.join('\n')}

${codespaces.map((codespace) => `## ${codespace}\n\n| Code | Text | HTTP | gRPC |\n|---|---|---|---|\n${rows(codespace)}\n`).join('\n')}`
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(API_FILE, renderApi())
  writeFileSync(ERRORS_FILE, await renderErrors())
}
