/**
 * Names a company's account by its id, for operators, who see all companies.
 *
 * @module
 */
import { useTexts } from "../../app/reader.tsx"
import { type Company, useCompanies } from "../../app/session.ts"

/** The name of an account: its company, and whether it is the sandbox. The id if the company was not read. */
const nameAccount = (
  companies: ReadonlyArray<Company>,
  accountId: string,
  sandbox: (name: string) => string
): string => {
  const company = companies.find(({ live, sandbox: other }) =>
    [live.accountId, other.accountId].includes(accountId)
  )
  if (company === undefined) return accountId
  return company.live.accountId === accountId ? company.name : sandbox(company.name)
}

/** Makes the function that names accounts. */
export const useAccountName = (): ((accountId: string) => string) => {
  const companies = useCompanies()
  const { installation: texts } = useTexts()
  return (accountId) => nameAccount(companies, accountId, texts.sandboxOf)
}
