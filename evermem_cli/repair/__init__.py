"""The workflows by which memory is put right: told directly, corrected, given to its owner, taken back."""
