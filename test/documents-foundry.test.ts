/** The commands of the pages that need Foundry. Without it, those of their blocks that do not. */
import { pagesFor, testPage } from './support/documents/pages.ts'

for (const page of pagesFor('forge')) testPage(page)
