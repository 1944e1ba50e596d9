import { migrate } from '../../src/store/migrations/migrate.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'

/** Migrates a database and dies inside the transaction, after the first row that it deletes or updates. */
const [, , file = '', event = ''] = process.argv
const connection = new BetterSqlite(file)
connection.function('die', () => process.kill(process.pid, 'SIGKILL'))
connection.exec(`CREATE TEMP TRIGGER killed AFTER ${event} ON main.migrations BEGIN SELECT die(); END`)
migrate(connection, new Date())
