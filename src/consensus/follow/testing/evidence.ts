/** Evidence of both kinds as CometBFT 0.37.18 makes it: its JSON, its `evidence_hash`, and the SHA-256 of the encoded `EvidenceList`. */
import { readFileSync } from 'node:fs'

interface RecordedEvidence {
  readonly hash: string
  readonly listHash: string
  readonly evidence: readonly unknown[]
}

const { duplicateVote, lightClientAttack, both } = JSON.parse(
  readFileSync(new URL('evidence.json', import.meta.url), 'utf8'),
) as Record<'duplicateVote' | 'lightClientAttack' | 'both', RecordedEvidence>

export const recordedEvidence: readonly (readonly [name: string, RecordedEvidence])[] = [
  ['a duplicate vote', duplicateVote],
  ['an attack on light clients', lightClientAttack],
  ['both', { ...both, evidence: [...duplicateVote.evidence, ...lightClientAttack.evidence] }],
]
