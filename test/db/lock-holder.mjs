// Takes the write lock of the database file named on the command line, and holds it until killed or until standard
// input receives data.
import sqlite3 from 'sqlite3';

const database = new sqlite3.Database(process.argv[2]);
database.exec("BEGIN IMMEDIATE; INSERT INTO invitations VALUES ('held@example.com', 1)", (error) => {
  process.stdout.write(error ? `${error.message}\n` : 'locked\n');
});
process.stdin.once('data', () => database.exec('ROLLBACK', () => process.exit(0)));
