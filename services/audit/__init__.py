"""What an auditor checks without trusting the server: chains, the log's tree, checkpoints, proofs and bundles."""

from services.audit.proving import LogProof, deal_problem, verify_log

__all__ = ["LogProof", "deal_problem", "verify_log"]
