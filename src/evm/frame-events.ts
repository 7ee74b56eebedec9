/** Reports frames to a tracer: calls and creations, their results, and self-destructs. */
import { EMPTY, toKey } from '../primitives/bytes.ts'
import { addressOfCreation, CREATE, CREATE2 } from './creations.ts'
import {
  childData,
  childGas,
  childValue,
  type ExecutionContext,
  type Outcome,
  type Request,
  type Requester,
} from './execution.ts'
import { addressKey } from './interpreter.ts'
import { A, FRAME } from './layout.ts'
import { CALL_KINDS } from './precompile-calls.ts'
import type { FrameKind, Tracer } from './trace.ts'

const DELEGATECALL = 0xf4

/** Reports a call or creation before it begins. */
export function reportEnter(
  context: ExecutionContext,
  tracer: Tracer,
  requester: Requester,
  request: Request | undefined,
): void {
  const { interpreter, journal, options } = context
  const { record, self, depth } = requester
  const want = interpreter.u32(record + FRAME.want)
  const creates = want === CREATE || want === CREATE2
  const { callee } = tracer
  if (callee !== undefined && (creates || addressKey(interpreter) !== callee)) return
  const kind: FrameKind = want === CREATE ? 'CREATE' : want === CREATE2 ? 'CREATE2' : CALL_KINDS[want]!
  const to = creates
    ? addressOfCreation(context, requester, request?.nonce ?? self.nonce)
    : interpreter.slice(A + 12, A + 32)
  tracer.enter?.(
    {
      kind,
      depth: depth + 1,
      from: self.address,
      to,
      input: childData(interpreter, record),
      gas: childGas(interpreter, record),
      valueWei: want === DELEGATECALL ? interpreter.wordAt(record + FRAME.value) : childValue(interpreter, record),
      isPrecompile: !creates && options.precompiles.has(toKey(to)),
    },
    journal,
  )
}

/** Reports the end of a call or creation. `before` is the caller's gas before it was settled. */
export function reportExit(
  { interpreter }: ExecutionContext,
  tracer: Tracer,
  { record, depth }: Requester,
  before: bigint,
  { success, error, output }: Outcome,
): void {
  const back = interpreter.i64(record + FRAME.gas) - before
  tracer.exit?.({ depth: depth + 1, success, error, gasUsed: childGas(interpreter, record) - back, output })
}

/** Reports the self-destruct that ended a frame, in the form of a call. */
export function reportDestruct(
  { running, journal }: ExecutionContext,
  tracer: Tracer | undefined,
  { self, depth }: Requester,
): void {
  const { beneficiary, amount } = running.destructed!
  running.destructed = undefined
  if (!tracer || tracer.callee !== undefined) return
  tracer.enter?.(
    {
      kind: 'SELFDESTRUCT',
      depth: depth + 1,
      from: self.address,
      to: beneficiary.address,
      input: EMPTY,
      gas: 0n,
      valueWei: amount,
      isPrecompile: false,
    },
    journal,
  )
  tracer.exit?.({ depth: depth + 1, success: true, error: undefined, gasUsed: 0n, output: EMPTY })
}
