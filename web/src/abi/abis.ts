/** The ABIs that fit a contract: its artifact if one was dropped into the page, then the shared ones. */
import { useEffect, useState } from 'preact/hooks'
import type { Abi } from 'viem'
import { ask } from '../api/ask.ts'
import { eth } from '../api/question.ts'
import { useStore } from '../store.ts'
import { artifactFor, artifacts, type ContractArtifact } from './artifacts.ts'
import { notePlace } from './places.ts'

const codes = new Map<string, Promise<string>>()

/** Returns the code of an account, asked once. */
function codeOf(address: string): Promise<string> {
  const key = address.toLowerCase()
  const found = codes.get(key) ?? ask<string>(eth('eth_getCode', address, 'latest'))
  codes.set(key, found)
  found.then(
    (code) => code === '0x' && codes.delete(key),
    () => codes.delete(key),
  )
  return found
}

/** Returns the artifact of a deployed contract; undefined if no dropped file fits its code. */
export function useArtifact(address: string | null | undefined): ContractArtifact | undefined {
  const known = useStore(artifacts)
  const [found, setFound] = useState<{ readonly of: string; readonly artifact: ContractArtifact | undefined }>()
  useEffect(() => {
    let isCurrent = true
    if (known.length === 0) setFound(undefined)
    else if (address) {
      codeOf(address).then(
        (code) => {
          const artifact = artifactFor(code, known)
          if (artifact) notePlace(artifact.name, address)
          if (isCurrent) setFound({ of: address, artifact })
        },
        () => {},
      )
    }
    return () => {
      isCurrent = false
    }
  }, [address, known])
  // The previous artifact stays while others are read, so that forms keep what was typed.
  return found?.of === address ? found?.artifact : undefined
}

/** Returns every ABI that can decode data of any contract: those of artifacts first. */
export async function allAbis(known: readonly ContractArtifact[]): Promise<readonly Abi[]> {
  const { STANDARD } = await import('./standard.ts')
  return [...known.map(({ abi }) => abi), ...STANDARD]
}
