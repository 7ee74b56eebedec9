/**
 * Artifacts of compilers that a person has dropped into the page: Hardhat, Foundry, and the standard JSON of solc. They stay in
 * this browser.
 */
import type { Abi } from 'viem'
import { createStore } from '../store.ts'

export interface ContractArtifact {
  readonly name: string
  readonly abi: Abi
  /** Code as compiled, hexadecimal without `0x`, with placeholders; empty if the artifact has no code. */
  readonly code: string
  /** Source files by path, where the artifact contains them. */
  readonly sources: Readonly<Record<string, string>>
}

const KEY = 'console.artifacts'

function remembered(): readonly ContractArtifact[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as ContractArtifact[]
  } catch {
    return []
  }
}

/** The known artifacts. They are kept until the tab is closed. */
export const artifacts = createStore<readonly ContractArtifact[]>(remembered())

function remember(found: readonly ContractArtifact[]): void {
  const names = new Set(found.map(({ name }) => name))
  const all = [...found, ...artifacts.get().filter(({ name }) => !names.has(name))]
  artifacts.set(all)
  try {
    sessionStorage.setItem(KEY, JSON.stringify(all))
  } catch {
    // A full storage forgets them with the page.
  }
}

type Json = Readonly<Record<string, unknown>>

const codeOf = (code: unknown): string => {
  const text = typeof code === 'string' ? code : (code as Json | undefined)?.['object']
  return typeof text === 'string' ? text.replace(/^0x/, '') : ''
}

function sourcesOf(metadata: unknown): Readonly<Record<string, string>> {
  try {
    const { sources } = (typeof metadata === 'string' ? JSON.parse(metadata) : metadata) as {
      sources: Record<string, Json>
    }
    return Object.fromEntries(
      Object.entries(sources).flatMap(([path, { content }]) => (typeof content === 'string' ? [[path, content]] : [])),
    )
  } catch {
    return {}
  }
}

/** Returns the contracts of one file. Throws an `Error` that says which formats are read. */
function readArtifact(fileName: string, text: string): readonly ContractArtifact[] {
  if (/\.(sol|vy)$/.test(fileName)) return [{ name: fileName, abi: [], code: '', sources: { [fileName]: text } }]
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch {
    throw new Error(
      `${fileName} is no JSON: drop an artifact of Hardhat or Foundry, or the standard JSON output of solc`,
    )
  }
  // Standard JSON of solc, or the build info of Hardhat, which wraps it with its input.
  const output = (json['output'] ?? json) as Json
  if (typeof output['contracts'] === 'object' && output['contracts'] !== null) {
    const input = ((json['input'] as Json | undefined)?.['sources'] ?? {}) as Record<string, Json>
    const given = Object.fromEntries(
      Object.entries(input).flatMap(([path, { content }]) => (typeof content === 'string' ? [[path, content]] : [])),
    )
    return Object.values(output['contracts'] as Record<string, Record<string, Json>>).flatMap((contracts) =>
      Object.entries(contracts).map(([name, contract]) => {
        const evm = (contract['evm'] ?? {}) as Record<string, Json>
        return {
          name,
          abi: (contract['abi'] ?? []) as Abi,
          code: codeOf(evm['deployedBytecode']),
          sources: { ...sourcesOf(contract['metadata']), ...given },
        }
      }),
    )
  }
  if (!Array.isArray(json['abi'])) {
    throw new Error(
      `${fileName} has no ABI: drop an artifact of Hardhat or Foundry, or the standard JSON output of solc`,
    )
  }
  const name = String(json['contractName'] ?? fileName.replace(/\.json$/, ''))
  return [
    {
      name,
      abi: json['abi'] as Abi,
      code: codeOf(json['deployedBytecode']),
      sources: sourcesOf(json['rawMetadata'] ?? json['metadata']),
    },
  ]
}

/** Reads dropped files and remembers their contracts. Returns the number of contracts; throws for a file that is no artifact. */
export async function addArtifacts(files: Iterable<File>): Promise<number> {
  const found: ContractArtifact[] = []
  for (const file of files) found.push(...readArtifact(file.name, await file.text()))
  const sources = Object.assign({}, ...found.filter(({ abi }) => abi.length === 0).map((one) => one.sources))
  remember(
    found.filter(({ abi }) => abi.length > 0).map((one) => ({ ...one, sources: { ...sources, ...one.sources } })),
  )
  return found.length
}

export const forgetArtifacts = (): void => {
  artifacts.set([])
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // There is nothing to forget.
  }
}

/** Returns code without the compiler's metadata at its end, whose length is in its last two bytes. */
function withoutMetadata(code: string): string {
  const length = Number.parseInt(code.slice(-4), 16)
  return Number.isNaN(length) || length * 2 + 4 > code.length ? code : code.slice(0, code.length - length * 2 - 4)
}

/**
 * Returns the artifact of a deployed contract: the code is the same but for its metadata, and for immutable values and
 * addresses of libraries, which the artifact has as zeros or names.
 */
export function artifactFor(deployed: string, known: readonly ContractArtifact[]): ContractArtifact | undefined {
  const code = withoutMetadata(deployed.replace(/^0x/, '').toLowerCase())
  if (code === '') return undefined
  return known.find((artifact) => {
    const own = withoutMetadata(artifact.code.toLowerCase())
    if (own === '' || own.length !== code.length) return false
    const isOpen = openPlaces(own)
    for (let i = 0; i < own.length; i++) if (own[i] !== code[i] && !isOpen[i]) return false
    return true
  })
}

/** Marks the digits that a deployment fills in: words of zeros after PUSH32, and names of libraries. */
function openPlaces(code: string): readonly boolean[] {
  const open = new Array<boolean>(code.length).fill(false)
  for (const { index, 0: found } of code.matchAll(/7f0{64}|__\$[0-9a-z]{34}\$__/g)) {
    const start = found.startsWith('7f') ? index + 2 : index
    open.fill(true, start, index + found.length)
  }
  return open
}
