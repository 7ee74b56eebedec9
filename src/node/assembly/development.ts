/** The parts of a node that tools change on a development chain. */
import type { AdmissionSettings } from '../../app/transaction.ts'
import type { DevelopmentTools } from '../../consensus/solo/development.ts'
import type { OwnValidators } from '../../consensus/validators.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Log } from '../log.ts'
import { limitPrinting } from '../printed-text.ts'

/** A price of one wei, in base units with 18 decimal places. */
const RAW_PER_WEI = 10n ** 6n

/** The settings of admission, which `setMinGasPrice` changes. */
type ChangeableAdmission = { -readonly [Name in keyof AdmissionSettings]: AdmissionSettings[Name] }

export function createDevelopmentTools(parts: {
  readonly admission: ChangeableAdmission
  readonly baseDenom: string
  readonly validators: OwnValidators
  readonly log: Log
}): DevelopmentTools {
  const { admission, baseDenom, validators, log } = parts
  let isLogging = true
  const print = limitPrinting(
    {
      print: (line) => log('info', 'console.log', { line }),
      warn: (dropped) => log('warn', 'contracts print too much: lines of console.log were dropped', { dropped }),
    },
    () => performance.now(),
  )
  return {
    setMinGasPrice(wei) {
      admission.minGasPrices = `${decimal.format(decimal.fromRaw(wei * RAW_PER_WEI))}${baseDenom}`
    },
    print(line) {
      if (isLogging) print(line)
    },
    setValidator: validators.setBehaviour,
    setLogging(on) {
      isLogging = on
    },
  }
}
