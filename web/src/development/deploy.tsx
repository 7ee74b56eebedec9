/** Deployment of a compiled contract from a funded account. Its file stays in this browser. */
import { useEffect, useState } from 'preact/hooks'
import { addArtifacts } from '../abi/artifacts.ts'
import { useOutcome } from '../ui/outcome.ts'
import { Section } from '../ui/section.tsx'
import { Address, Height } from '../ui/values.tsx'
import { Action, Field, Said } from './action.tsx'
import { type Deployable, deployables } from './creation.ts'
import { receiptOf, verb } from './verbs.ts'

/** Arguments of the constructor as its ABI encodes them, without `0x`. */
async function encodedArguments({ abi }: Deployable, texts: readonly string[]): Promise<string> {
  const inputs = abi.find((item) => item.type === 'constructor')?.inputs ?? []
  if (inputs.length === 0) return ''
  const { encodeCall } = await import('../abi/codec.ts')
  const call = encodeCall(
    { type: 'function', name: 'create', inputs, outputs: [], stateMutability: 'nonpayable' },
    texts,
  )
  // The selector of the name goes first.
  return call.slice(10)
}

export function Deploy() {
  const [contracts, setContracts] = useState<readonly Deployable[]>([])
  const [chosen, setChosen] = useState(0)
  const [senders, setSenders] = useState<readonly string[]>([])
  const [outcome, run] = useOutcome()
  useEffect(() => {
    verb<readonly string[]>('eth_accounts').then(setSenders, () => {})
  }, [])
  const read = async (files: readonly File[]): Promise<string> => {
    const found = (await Promise.all(files.map(async (file) => deployables(file.name, await file.text())))).flat()
    await addArtifacts(files)
    setContracts(found)
    setChosen(0)
    return found.length === 1 ? 'A contract was read.' : `${found.length} contracts were read.`
  }
  const contract = contracts[chosen]
  const inputs = contract?.abi.find((item) => item.type === 'constructor')?.inputs ?? []
  return (
    <Section title="Deploy">
      <label
        class="dev-drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          const files = [...(event.dataTransfer?.files ?? [])]
          run(() => read(files))
        }}
      >
        Drop an artifact of Hardhat or Foundry, or the standard JSON of solc, or choose it
        <input
          type="file"
          accept=".json,application/json"
          multiple
          onChange={({ currentTarget }) => run(() => read([...(currentTarget.files ?? [])]))}
        />
      </label>
      <Said outcome={outcome} />
      {contract && (
        <Action
          key={contract.name}
          button={`Deploy ${contract.name}`}
          run={async (fields) => {
            const encoded = await encodedArguments(
              contract,
              inputs.map((_, i) => fields.text(`argument-${i}`)),
            )
            const hash = await verb<string>('eth_sendTransaction', {
              from: fields.text('from'),
              data: contract.code + encoded,
            })
            const receipt = await receiptOf(hash)
            if (receipt.status !== '0x1' || !receipt.contractAddress)
              throw new Error(`The deployment failed in block ${Number(receipt.blockNumber)}: transaction ${hash}.`)
            return (
              <>
                {contract.name} is <Address address={receipt.contractAddress} />, from block{' '}
                <Height height={BigInt(receipt.blockNumber)} />.
              </>
            )
          }}
        >
          {contracts.length > 1 && (
            <label>
              Contract
              <select value={chosen} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
                {contracts.map(({ name }, i) => (
                  <option key={`${i} ${name}`} value={i}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label class="dev-wide">
            From
            <select name="from">
              {senders.map((address) => (
                <option key={address}>{address}</option>
              ))}
            </select>
          </label>
          {inputs.map((input, i) => (
            <Field
              key={`${i} ${input.name}`}
              label={`${input.name || `argument ${i}`}: ${input.type}`}
              name={`argument-${i}`}
              wide
            />
          ))}
        </Action>
      )}
    </Section>
  )
}
