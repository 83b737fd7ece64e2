// The leases of two daemons in one PostgreSQL database.
import '../features/leases/leases.test.ts';
