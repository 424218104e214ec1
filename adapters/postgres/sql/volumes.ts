/**
 * How many emails accounts accepted lately, from their counts by day.
 *
 * @module
 */
import { deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"

/**
 * The number of emails that an account accepted since the beginning of a UTC day, one for each recipient: a value of SQL.
 *
 * @param account the column with the account's id
 * @param since epoch milliseconds
 */
export const volumeOf = (account: string, since: number): string => {
  const counted = `account_id = ${account} and counter = any('{${deliveryStatuses.join(",")}}')
    and at >= timestamptz '${new Date(since).toISOString()}'`
  return `(coalesce((
      select sum(amount) from email_counts where dimension = 'Source' and unit = 'Day' and ${counted}
    ), 0) + coalesce((
      select sum(amount) from email_count_changes where ${counted}
    ), 0))::float8`
}
