// The jobs of two daemons in one PostgreSQL database.
import '../features/jobs/job-leases.test.ts';
