/** The commands of the pages that need CometBFT. Without it, those of their blocks that do not. */
import { pagesFor, testPage } from './support/documents/pages.ts'

for (const page of pagesFor('cometbft')) testPage(page)
